package org.panamaverbs.tools.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Decodes files that a test makes, and keeps the entries that the decoder reports. */
abstract class DecoderCase {
    static final int CLIENT = 40_000;
    static final int SERVER = 7174;

    private final List<Entry> said = new ArrayList<>();

    /** Decodes one; at no time it holds more than the limit. */
    final Decoder decode(MadeFile file, Limits limits) {
        Decoder decoder = new Decoder(said::add, limits);
        try {
            decoder.decode(file.checkedBy(() -> {
                if (decoder.held() > limits.total()) {
                    throw new AssertionError(decoder.held() + " bytes are held");
                }
            }));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertEquals(0, decoder.held(), "the end of the file leaves nothing");
        return decoder;
    }

    final Decoder decode(MadeFile file) {
        return decode(file, Limits.USUAL);
    }

    final List<Entry> entries(String kind) {
        return said.stream().filter(entry -> entry.kind().equals(kind)).toList();
    }

    final void assertSaid(int fpdus, int lost) {
        assertEquals(List.of(fpdus, lost), List.of(entries("fpdu").size(), entries("lost").size()), () -> entries("lost").toString());
    }

    /** A connection with both start frames. */
    static MadeFile connect(MadeFile file, int client, int server) {
        return file.handshake(client, server).data(client, server, 0, MpaBytes.request()).data(server, client, 0, MpaBytes.reply());
    }
}
