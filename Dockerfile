FROM node:20-bookworm-slim AS build
# The compiler is for better-sqlite3, where its prebuilt binary cannot be fetched.
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The packages first: they change less often than the sources, and this layer is the slow one.
COPY package.json package-lock.json ./
# Node's headers are in the image already: a compile has nothing to fetch.
RUN npm_config_nodedir=/usr/local npm ci --no-audit --no-fund
COPY . .
# What the image holds is what the npm package holds ("files" in package.json), and the packages it runs with.
RUN npm run build \
 && npm pack --ignore-scripts \
 && mkdir /app \
 && tar -xzf bellhop-*.tgz -C /app --strip-components=1 \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && mv node_modules /app/node_modules

FROM node:20-bookworm-slim
# tini passes signals on and reaps what tools leave behind. The image's policy-rc.d starts no service.
# git refuses folders of another owner, which a mounted workspace often is.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git redis-server ripgrep tini \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data /workspace \
 && git config --system --add safe.directory /workspace
COPY --from=build /app /opt/bellhop
RUN ln -s /opt/bellhop/bellhop /usr/local/bin/bellhop

USER node
ENV NODE_ENV=production BELLHOP_DATA=/data
WORKDIR /workspace
VOLUME ["/data", "/workspace"]
EXPOSE 7070
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7070/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "bellhop"]
CMD ["up", "--host", "0.0.0.0", "--data", "/data", "--workspace", "/workspace"]
