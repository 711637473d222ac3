package org.panamaverbs.softiwarp.faults;

import java.io.IOException;

/** The place of the two ends. */
interface Place extends AutoCloseable {
    /** The words before a command that runs it at one end. */
    String[] within(int end);

    /** The address of one end. */
    String address(int end);

    /** The setting of the transport. */
    String transport();

    /** Makes everything between the ends as good as new. */
    void mend() throws IOException;

    @Override
    void close() throws IOException;

    /** Both ends on this machine, with shared memory between them. */
    final class OneHost implements Place {
        @Override
        public String[] within(int end) {
            return new String[0];
        }

        @Override
        public String address(int end) {
            return "127.0.0.1";
        }

        @Override
        public String transport() {
            return "shared-memory";
        }

        @Override
        public void mend() {
            // There is no link.
        }

        @Override
        public void close() {
            // Nor anything else.
        }
    }
}
