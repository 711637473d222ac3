package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.link.LinkOutput.Kind;
import org.panamaverbs.rpcrdma.link.LinkOutput.Request;

class LinkOutputTest {
    /** A send queue of some places; a request is known by its offset. */
    private static final class Sends implements LinkOutput.Poster {
        private final List<String> log = new ArrayList<>();
        private int places = Integer.MAX_VALUE;
        private boolean broken;

        @Override
        public boolean tryPost(Request request, int slot) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            if (places == 0) {
                return false;
            }
            places--;
            log.add(request.kind() + " " + request.offset() + (request.kind() == Kind.WRITE ? "" : " in " + slot));
            return true;
        }

        @Override
        public void ringDoorbell() {
            log.add("doorbell");
        }

        private List<String> said() {
            List<String> said = List.copyOf(log);
            log.clear();
            return said;
        }
    }

    private final Sends sends = new Sends();
    private final List<String> finished = new ArrayList<>();
    private final LinkLife life = new LinkLife();
    private final LinkOutput output = new LinkOutput(life, 2, sends);

    private Request request(Kind kind, int number) {
        return new Request(kind, null, number, 1, 0, 0, success -> finished.add(number + (success ? "" : " failed")));
    }

    private void post(Kind kind, int number) {
        assertTrue(output.post(request(kind, number)));
    }

    private List<String> finished() {
        List<String> all = List.copyOf(finished);
        finished.clear();
        return all;
    }

    @Test
    void shouldPostAtOnceWhileThereIsRoom() {
        post(Kind.WRITE, 1);
        post(Kind.SEND, 2);
        post(Kind.READ, 3);
        assertEquals(List.of("WRITE 1", "SEND 2 in 0", "READ 3 in 1"), sends.said());
    }

    @Test
    void shouldFinishARequestOnceWhenItIsComplete() {
        post(Kind.SEND, 1);
        post(Kind.SEND, 2);
        output.onCompletion(0, true);
        output.onCompletion(1, false);
        assertEquals(List.of("1", "2 failed"), finished());
        output.onCompletion(0, true);
        assertEquals(List.of(), finished());
    }

    @Test
    void shouldHaveRequestsWaitForASlotInTheirOrder() {
        post(Kind.SEND, 1);
        post(Kind.SEND, 2);
        assertEquals(List.of("SEND 1 in 0", "SEND 2 in 1"), sends.said());
        post(Kind.WRITE, 3);
        post(Kind.SEND, 4);
        post(Kind.SEND, 5);
        // Each of them starts what MORE has kept.
        assertEquals(List.of("doorbell", "doorbell", "doorbell"), sends.said());
        output.onCompletion(1, true);
        assertEquals(List.of("WRITE 3", "SEND 4 in 1", "doorbell"), sends.said());
        output.onCompletion(0, true);
        assertEquals(List.of("SEND 5 in 0"), sends.said());
    }

    @Test
    void shouldHaveRequestsWaitForTheSendQueueInTheirOrder() {
        sends.places = 1;
        post(Kind.WRITE, 1);
        post(Kind.WRITE, 2);
        sends.places = 1;
        // It does not overtake the one that waits.
        post(Kind.SEND, 3);
        assertEquals(List.of("WRITE 1", "doorbell", "doorbell"), sends.said());
        output.pump();
        assertEquals(List.of("WRITE 2", "doorbell"), sends.said());
        sends.places = 1;
        output.pump();
        assertEquals(List.of("SEND 3 in 0"), sends.said());
    }

    @Test
    void shouldTakeASlotAgainAfterAllOthers() {
        post(Kind.SEND, 1);
        output.onCompletion(0, true);
        post(Kind.SEND, 2);
        post(Kind.SEND, 3);
        assertEquals(List.of("SEND 1 in 0", "SEND 2 in 1", "SEND 3 in 0"), sends.said());
    }

    @Test
    void shouldKeepNothingOfARequestThatCannotBePosted() {
        sends.broken = true;
        assertThrows(IllegalStateException.class, () -> output.post(request(Kind.SEND, 1)));
        output.release();
        assertEquals(List.of(), finished());
        sends.broken = false;
        post(Kind.SEND, 2);
        assertEquals(List.of("SEND 2 in 0"), sends.said());
    }

    @Test
    void shouldTakeNoMoreAfterItsEnd() {
        post(Kind.SEND, 1);
        post(Kind.SEND, 2);
        post(Kind.SEND, 3);
        assertTrue(output.end("the end"));
        assertFalse(output.end("another end"));
        assertEquals("the end", life.reason());
        sends.said();
        assertFalse(output.post(request(Kind.SEND, 4)));
        output.onCompletion(0, true);
        assertEquals(List.of(), sends.said());
    }

    @Test
    void shouldFinishOnceThoseThatAreLeft() {
        post(Kind.SEND, 1);
        post(Kind.READ, 2);
        post(Kind.SEND, 3);
        post(Kind.WRITE, 4);
        sends.places = 0;
        output.onCompletion(0, true);
        output.end("the end");
        assertEquals(List.of("1"), finished());
        output.release();
        assertEquals(List.of("2 failed", "3 failed", "4 failed"), finished());
        output.release();
        // Its completion comes late.
        output.onCompletion(1, true);
        assertEquals(List.of(), finished());
    }
}
