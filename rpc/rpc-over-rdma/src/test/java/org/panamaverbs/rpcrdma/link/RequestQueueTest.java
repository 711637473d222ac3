package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.link.RequestQueue.Kind;
import org.panamaverbs.rpcrdma.link.RequestQueue.Request;

class RequestQueueTest {
    /** A send queue of some places; a request is known by its offset. */
    private static final class Sends implements RequestQueue.Poster {
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
    private final RequestQueue queue = new RequestQueue(2, sends);

    private static Request request(Kind kind, int number) {
        return new Request(kind, null, number, 1, 0, 0, null);
    }

    private void post(Kind kind, int number) {
        assertTrue(queue.post(request(kind, number)));
    }

    private static List<Long> numbers(List<Request> requests) {
        return requests.stream().map(Request::offset).toList();
    }

    @Test
    void shouldPostAtOnceWhileThereIsRoom() {
        post(Kind.WRITE, 1);
        post(Kind.SEND, 2);
        post(Kind.READ, 3);
        assertEquals(List.of("WRITE 1", "SEND 2 in 0", "READ 3 in 1"), sends.said());
    }

    @Test
    void shouldGiveBackARequestOnceWhenItIsComplete() {
        post(Kind.SEND, 1);
        assertEquals(1, queue.completed(0).offset());
        assertNull(queue.completed(0));
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
        queue.completed(1);
        queue.pump();
        assertEquals(List.of("WRITE 3", "SEND 4 in 1", "doorbell"), sends.said());
        queue.completed(0);
        queue.pump();
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
        queue.pump();
        assertEquals(List.of("WRITE 2", "doorbell"), sends.said());
        sends.places = 1;
        queue.pump();
        assertEquals(List.of("SEND 3 in 0"), sends.said());
    }

    @Test
    void shouldTakeASlotAgainAfterAllOthers() {
        post(Kind.SEND, 1);
        queue.completed(0);
        post(Kind.SEND, 2);
        post(Kind.SEND, 3);
        assertEquals(List.of("SEND 1 in 0", "SEND 2 in 1", "SEND 3 in 0"), sends.said());
    }

    @Test
    void shouldKeepNothingOfARequestThatCannotBePosted() {
        sends.broken = true;
        assertThrows(IllegalStateException.class, () -> queue.post(request(Kind.SEND, 1)));
        assertEquals(List.of(), queue.drain());
        sends.broken = false;
        post(Kind.SEND, 2);
        assertEquals(List.of("SEND 2 in 0"), sends.said());
    }

    @Test
    void shouldTakeNoMoreAfterItsEnd() {
        post(Kind.SEND, 1);
        post(Kind.SEND, 2);
        post(Kind.SEND, 3);
        queue.end();
        sends.said();
        assertFalse(queue.post(request(Kind.SEND, 4)));
        queue.completed(0);
        queue.pump();
        assertEquals(List.of(), sends.said());
    }

    @Test
    void shouldGiveBackOnceThoseThatAreLeft() {
        post(Kind.SEND, 1);
        post(Kind.READ, 2);
        post(Kind.SEND, 3);
        post(Kind.WRITE, 4);
        queue.completed(0);
        queue.end();
        assertEquals(List.of(2L, 3L, 4L), numbers(queue.drain()));
        assertEquals(List.of(), queue.drain());
        // Its completion comes late.
        assertNull(queue.completed(1));
    }
}
