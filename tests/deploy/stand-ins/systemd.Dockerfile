# A machine with systemd, to run the units on: the host's image has everything else that they need.
FROM localhost/turnpike/host:test
RUN apt-get update && apt-get install --yes --no-install-recommends systemd
STOPSIGNAL SIGRTMIN+3
ENTRYPOINT ["/lib/systemd/systemd"]
CMD []
