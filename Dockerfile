# syntax=docker/dockerfile:1
# The gateway with its page, for `docker build -t drawtogether .`, on amd64 and arm64.
# Both base images are arguments, so that they can be pinned: --build-arg RUNTIME_IMAGE=debian@sha256:…
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${RUNTIME_IMAGE} AS page
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends esbuild libjs-pdf python3 \
 && rm -rf /var/lib/apt/lists/*
COPY .deploy/build-page /usr/local/bin/
COPY Public /source
RUN build-page /source /Public

FROM ${SWIFT_IMAGE} AS build
# Versions come with the base image's release.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends libssl-dev zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
# Without the tests, because each change of a test would rebuild the program.
ENV DRAWTOGETHER_PRODUCT_ONLY=1
COPY Package.swift ./
COPY Sources Sources
RUN swift build -c release --static-swift-stdlib --product drawtogether \
 && install -s -D "$(swift build -c release --static-swift-stdlib --show-bin-path)/drawtogether" \
      /product/usr/local/bin/drawtogether
COPY --from=page /Public /product/usr/local/share/drawtogether/Public
# Reproducible files: the build ids of compiler and linker differ between builds, and modes depend on the umask of the checkout.
RUN strip --remove-section=.swift_modhash --remove-section=.note.gnu.build-id /product/usr/local/bin/drawtogether \
 && chmod -R u=rwX,go=rX /product

FROM ${RUNTIME_IMAGE}
# Logs, caches and dpkg's backups differ in every build.
# hadolint ignore=DL3008
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libssl3 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/cache/ldconfig/aux-cache \
      /var/lib/dpkg/*-old /var/log/* \
 && find / -xdev -perm /6000 -type f -exec chmod a-s {} + \
 && install -d -o 10001 -g 10001 -m 0700 /backup /data
COPY --from=build /product /
ENV DRAWTOGETHER_DATA=/data \
    DRAWTOGETHER_PUBLIC=/usr/local/share/drawtogether/Public
USER 10001:10001
VOLUME /data
EXPOSE 8080 8443
STOPSIGNAL SIGTERM
# The first check follows an interval after the start.
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s --retries=3 \
  CMD ["/usr/local/bin/drawtogether", "health"]
ENTRYPOINT ["/usr/local/bin/drawtogether"]
# Last, so that a new revision alone changes no layer.
ARG RUNTIME_IMAGE
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="DrawTogether" \
      org.opencontainers.image.description="A WebSocket gateway that serves a shared canvas" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${RUNTIME_IMAGE}"
