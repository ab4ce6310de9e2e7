# docker build -f deploy/docker/proxy.Dockerfile -t turnpike/proxy .
ARG BASE=turnpike/base
FROM ${BASE}
ENV TURNPIKE_PROXY_BIND=0.0.0.0
EXPOSE 8082 9464
CMD ["proxy"]
