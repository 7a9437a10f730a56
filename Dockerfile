# docker build -t bellhop .        docs/operations.md says how it is run
# To pin it to the byte: --build-arg NODE=node:20.20.2-bookworm-slim@sha256:…
ARG NODE=node:20.20.2-bookworm-slim

FROM ${NODE} AS build
# The compiler is for better-sqlite3, where its prebuilt binary cannot be fetched.
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The packages first: they change less often than the sources, and this layer is the slow one.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# What the image holds is what the npm package holds ("files" in package.json), and the packages it runs with.
RUN npm run build \
 && npm run sbom \
 && npm pack --ignore-scripts \
 && mkdir /app \
 && tar -xzf bellhop-*.tgz -C /app --strip-components=1 \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && mv node_modules /app/node_modules
# The launcher brings the compiled part of better-sqlite3; what that was made of is not needed any more.
RUN /app/bellhop config --check \
 && rm -rf /app/node_modules/better-sqlite3/deps /app/node_modules/better-sqlite3/src /app/node_modules/better-sqlite3/build/Release/obj

FROM ${NODE}
# What tools run: ripgrep, git, and bubblewrap around programs; redis-server is for `up` without a REDIS_URL. tini passes
# signals on and reaps what tools leave behind. git refuses folders of another owner, which a mounted workspace often is.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git redis-server ripgrep tini \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory /workspace
COPY --from=build /app /opt/bellhop
# 1000 is the user `node` of the image.
RUN install -d -o 1000 -g 1000 /data /workspace

USER 1000:1000
ENV NODE_ENV=production \
    PATH=/opt/bellhop:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/data \
    BELLHOP_HOST=0.0.0.0 \
    BELLHOP_DATA=/data \
    BELLHOP_WORKSPACE=/workspace
WORKDIR /workspace
VOLUME ["/data", "/workspace"]
EXPOSE 7070
# Of a worker or a bridge, which have no web door, BELLHOP_HEALTH_PORT says where they are asked. A port of the web door that the
# config says (http.port) is not known here: say it by BELLHOP_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const { BELLHOP_HEALTH_PORT: own, BELLHOP_PORT: door } = process.env; fetch(`http://127.0.0.1:${own || door || 7070}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "bellhop"]
CMD ["up"]
