package org.panamaverbs.tools.nfs;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Quantity;

/**
 * A file that was moved.
 *
 * @param command nfs-get or nfs-put
 * @param path    at the server
 * @param file    here
 * @param placed  bytes that went by RDMA Read or Write
 */
record Transferred(String command, String path, Path file, long bytes, double seconds, long placed) {
    void print(PrintWriter out, Server server, boolean json) {
        if (json) {
            Map<String, Object> object = Json.object(command);
            object.put("server", HostPort.text(server.address()));
            object.put("path", path);
            object.put("file", file.toString());
            object.put("bytes", bytes);
            object.put("seconds", seconds);
            object.put("bytesPerSecond", bytes / seconds);
            server.describe(object);
            object.put("placedDirectly", placed);
            out.println(Json.line(object));
        } else {
            out.printf(Locale.ROOT, "%d bytes in %.2f s, %.1f MB/s over %s%s%n", bytes, seconds, bytes / seconds / 1e6, server.carrier(),
                    Quantity.placedDirectly(Math.min(placed, bytes), bytes));
        }
        out.flush();
    }
}
