package example.loopback;

/** A ring of requests, made once: posting allocates nothing. */
final class RequestQueue {
    private final Request[] slots;
    private int first;
    private int count;

    RequestQueue(int depth, int mostParts) {
        slots = new Request[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = new Request(mostParts);
        }
    }

    boolean isFull() {
        return room() == 0;
    }

    int room() {
        return slots.length - count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Adds a request, which the caller fills; there is room. */
    Request add() {
        return slots[(first + count++) % slots.length];
    }

    /** The oldest request; there is one. */
    Request peek() {
        return slots[first];
    }

    /** Removes the oldest request; it stays as it is until another one is added. */
    Request remove() {
        Request removed = slots[first];
        first = (first + 1) % slots.length;
        count--;
        return removed;
    }
}
