# docker build -f deploy/docker/gateway.Dockerfile -t turnpike/gateway .
ARG BASE=turnpike/base
FROM ${BASE}
ENV TURNPIKE_BIND=0.0.0.0 TURNPIKE_PRIVATE_BIND=0.0.0.0
# Clients; hosts; metrics, where TURNPIKE_METRICS_PORT and TURNPIKE_METRICS_BIND say so.
EXPOSE 8080 8090 9464
CMD ["gateway"]
