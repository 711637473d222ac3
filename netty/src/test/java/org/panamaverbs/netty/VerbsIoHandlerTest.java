package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

class VerbsIoHandlerTest {
    private int closed;

    private final class Handle implements VerbsIoHandle {
        @Override
        public void close() {
            closed++;
        }
    }

    /** The calling thread is the event loop. */
    private static final ThreadAwareExecutor HERE = new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    };

    /** A task of an event loop that ends may register a channel. It is closed as the others are: its listener would stay for ever. */
    @Test
    void shouldCloseAChannelThatIsRegisteredWhileTheLoopEnds() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            IoHandler handler = VerbsIoHandler.newFactory(verbs.device()).newHandler(HERE);
            handler.prepareToDestroy();
            handler.register(new Handle());
            handler.destroy();
            assertEquals(1, closed);
        }
    }
}
