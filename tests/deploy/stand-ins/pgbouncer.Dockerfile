# Stands in for edoburu/pgbouncer: Debian's own PgBouncer, which takes the same variables.
FROM localhost/turnpike-test/debian
RUN apt-get update && apt-get install --yes --no-install-recommends pgbouncer
COPY --chmod=755 pgbouncer-entrypoint /usr/local/bin/
USER postgres
ENTRYPOINT ["pgbouncer-entrypoint"]
