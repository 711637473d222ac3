package org.panamaverbs.rpcrdma.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A line of a resource: a name, a message as words in hex with a slash before the payload, and the findings of a reader. */
record Vector(String name, byte[] message, int headerLength, String found) {
    static final List<String> FILES = List.of("version-1.txt", "version-2-messages.txt", "version-2-errors.txt",
            "version-2-properties.txt");

    /** All vectors of all files. */
    static List<Vector> all() {
        return FILES.stream().flatMap(file -> of(file).stream()).toList();
    }

    static List<Vector> of(String file) {
        List<Vector> vectors = new ArrayList<>();
        for (String[] fields : lines(file)) {
            String[] parts = fields[1].split("/");
            byte[] header = Words.of(parts[0]);
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            message.writeBytes(header);
            if (parts.length > 1) {
                message.writeBytes(Words.of(parts[1]));
            }
            vectors.add(new Vector(fields[0], message.toByteArray(), header.length, fields[2]));
        }
        return vectors;
    }

    /** The lines of a resource that are not comments, as their fields between bars. */
    static List<String[]> lines(String file) {
        try (InputStream in = Vector.class.getResourceAsStream(file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\\|", -1)).map(Vector::stripped).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] stripped(String[] fields) {
        for (int i = 0; i < fields.length; i++) {
            fields[i] = fields[i].strip();
        }
        return fields;
    }

    @Override
    public String toString() {
        return name;
    }
}
