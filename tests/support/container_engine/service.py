"""A service of a few lines, and several kinds of images for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support import container_engine

SERVICE = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.TreeMap;

public class Service {
    public static void main(String[] arguments) throws Exception {
        if (System.getenv("BROKEN") != null) throw new IllegalStateException("cannot read the configuration");
        var server = HttpServer.create(new InetSocketAddress(
            Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"))), 0);
        server.createContext("/health", exchange -> answer(exchange, 200, "ok"));
        server.createContext("/env", exchange -> answer(exchange, 200, new TreeMap<>(System.getenv()).toString()));
        server.createContext("/facts", exchange -> answer(exchange, 200, System.getProperty("java.version") + " "
            + Runtime.getRuntime().availableProcessors() + " " + System.getProperty("user.name") + " "
            + Files.isWritable(Path.of("/")) + " " + Files.exists(Path.of("/bin/sh"))));
        server.createContext("/collect", exchange -> { System.gc(); answer(exchange, 200, "collected"); });
        server.createContext("/burn", exchange -> {
            var until = System.nanoTime() + 1_000_000_000L;
            long sum = 0;
            while (System.nanoTime() < until) for (int i = 0; i < 1000; i++) sum += i * sum;
            answer(exchange, 200, "" + sum);
        });
        var leaked = new ArrayList<ByteBuffer>();
        server.createContext("/work", exchange -> {
            if (System.getenv("LEAK") != null) {
                var buffer = ByteBuffer.allocateDirect(4 << 20);
                for (int at = 0; at < buffer.limit(); at += 4096) buffer.put(at, (byte) 1);
                synchronized (leaked) { leaked.add(buffer); }
            }
            answer(exchange, 200, "done");
        });
        server.createContext("/fill", exchange -> {
            var kept = new ArrayList<ByteBuffer>();
            while (true) {
                var buffer = ByteBuffer.allocateDirect(4 << 20);
                for (int at = 0; at < buffer.limit(); at += 4096) buffer.put(at, (byte) 1);
                kept.add(buffer);
            }
        });
        server.setExecutor(java.util.concurrent.Executors.newFixedThreadPool(4));
        server.start();
        System.out.println("listening");
    }

    private static void answer(com.sun.net.httpserver.HttpExchange exchange, int status, String body)
            throws java.io.IOException {
        exchange.sendResponseHeaders(status, body.getBytes().length);
        exchange.getResponseBody().write(body.getBytes());
        exchange.close();
    }
}
"""

#: A JRE as most images have it, run by a user without a name.
PLAIN = f"""
FROM {container_engine.BASE}
USER 10001
EXPOSE 8080
ENTRYPOINT ["java", "-jar", "/app/service.jar"]
"""

#: Nothing but the libraries that a JVM needs: no shell, no packages, no passwd.
BARE = """
FROM {base} AS from
FROM scratch
COPY --from=from /lib/x86_64-linux-gnu /lib/x86_64-linux-gnu
COPY --from=from /lib64 /lib64
{java}
USER 65532
EXPOSE 8080
ENTRYPOINT [{entry}, "-jar", "/app/service.jar"]
"""
JAVA_17 = """COPY --from=from /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu
COPY --from=from /usr/lib/jvm /usr/lib/jvm
COPY --from=from /etc/java-17-openjdk /etc/java-17-openjdk"""

#: PostgreSQL as far as docker-compose.yml uses its image: user, password and database by environment.
POSTGRES = f"""
FROM {container_engine.BASE}
COPY start.sh /start.sh
RUN mkdir /data && chown postgres /data && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
USER postgres
VOLUME /data
ENTRYPOINT ["sh", "/start.sh"]
"""
POSTGRES_START = """set -e
echo "$POSTGRES_PASSWORD" > /tmp/password
initdb --pgdata=/data --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --no-sync >/dev/null
echo "host all all all scram-sha-256" >> /data/pg_hba.conf
echo "create database \\"$POSTGRES_DB\\"" | postgres --single -D /data postgres >/dev/null
exec postgres -D /data -c listen_addresses='*' -c fsync=off -k /tmp
"""


def built_jar(folder: Path) -> Path:
    """The service as a jar in `folder`."""
    (folder / "Service.java").write_text(SERVICE)
    subprocess.run(["javac", "--release", "17", "-d", folder / "classes", folder / "Service.java"], check=True)
    (folder / "manifest").write_text("Main-Class: Service\n")
    jar = folder / "service.jar"
    subprocess.run(["jar", "cfm", jar, folder / "manifest", "-C", folder / "classes", "."], check=True)
    return jar
