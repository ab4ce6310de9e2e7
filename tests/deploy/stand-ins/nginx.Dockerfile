# Stands in for nginx:1.28-bookworm: Debian's own nginx.
FROM localhost/turnpike-test/debian
RUN apt-get update && apt-get install --yes --no-install-recommends nginx-light \
  && ln -sf /dev/stderr /var/log/nginx/error.log \
  && useradd --system nginx
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
