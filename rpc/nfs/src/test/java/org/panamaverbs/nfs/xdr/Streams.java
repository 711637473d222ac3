package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.HexFormat;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** Streams of bytes for tests, written as hexadecimal digits with spaces. */
final class Streams {
    private Streams() {
    }

    interface Encoder {
        void encode(XdrEncodingStream xdr) throws IOException;
    }

    static String encoded(Encoder encoder) throws IOException {
        Xdr xdr = new Xdr(Xdr.INITIAL_XDR_SIZE);
        xdr.beginEncoding();
        encoder.encode(xdr);
        xdr.endEncoding();
        return words(xdr.getBytes());
    }

    static XdrDecodingStream decoding(String hex) {
        Xdr xdr = new Xdr(HexFormat.of().parseHex(hex.replace(" ", "")));
        xdr.beginDecoding();
        return xdr;
    }

    private static String words(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            text.append(i > 0 && i % 4 == 0 ? " " : "").append(HexFormat.of().toHexDigits(bytes[i]));
        }
        return text.toString();
    }
}
