package org.panamaverbs.tools;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/** Standard output, which remembers its first error: the writers around it hide errors and forget their reasons. */
final class StandardOutput extends FilterOutputStream {
    private IOException failure;

    StandardOutput(OutputStream out) {
        super(out);
    }

    @Override
    public synchronized void write(int octet) throws IOException {
        write(new byte[] { (byte) octet }, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    private IOException remembered(IOException e) {
        if (failure == null) {
            failure = e;
        }
        return e;
    }

    /** The reason of the first error. A reader that has closed its end of the pipe, as head does, wants no more: that is none. */
    synchronized Optional<String> failure() {
        return Optional.ofNullable(failure).map(e -> String.valueOf(e.getMessage()))
                .filter(reason -> !reason.toLowerCase(Locale.ROOT).contains("broken pipe"));
    }
}
