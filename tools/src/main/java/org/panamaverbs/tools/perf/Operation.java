package org.panamaverbs.tools.perf;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;

/** The operation that is measured. Its place in this list stands for it on the wire. */
public enum Operation {
    WRITE(Effect.PLACES, 0, null), READ(Effect.FETCHES, 0, null), SEND(Effect.DELIVERS, 0, null), WRITE_IMMEDIATE(Effect.DELIVERS, 0,
            Capability.WRITE_WITH_IMMEDIATE), SEND_IMMEDIATE(Effect.DELIVERS, 0, Capability.IMMEDIATE_DATA),
    /** 8 bytes without memory (RFC 7306, section 6). */
    IMMEDIATE(Effect.DELIVERS, Long.BYTES, Capability.IMMEDIATE_MESSAGE), FETCH_ADD(Effect.FETCHES, Long.BYTES,
            Capability.ATOMIC), COMPARE_SWAP(Effect.FETCHES, Long.BYTES, Capability.ATOMIC);

    /** Those that users write; the others come from {@code --immediate}. */
    static final String NAMES = "write, read, send, fetch-add, compare-swap or immediate";

    private final Effect effect;
    private final int onlySize;
    private final Capability capability;

    /** The effect of a message that the peer's program sees. */
    private enum Effect {
        /** Nothing, unless it polls its memory. */
        PLACES,
        /** Nothing; something comes back. */
        FETCHES,
        /** A receive completes. */
        DELIVERS
    }

    Operation(Effect effect, int onlySize, Capability capability) {
        this.effect = effect;
        this.onlySize = onlySize;
        this.capability = capability;
    }

    /** @throws IllegalArgumentException if no operation has the name */
    static Operation named(String text) {
        String name = text.toLowerCase(Locale.ROOT).replace('_', '-');
        return Arrays.stream(values()).filter(each -> each.toString().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + text + "\" is not an operation; take " + NAMES));
    }

    /** Whether a message is its own answer, which lands at the end that asks. */
    boolean fetches() {
        return effect == Effect.FETCHES;
    }

    /** Whether a message takes a receive, and so needs a credit. */
    boolean delivers() {
        return effect == Effect.DELIVERS;
    }

    boolean isAtomic() {
        return capability == Capability.ATOMIC;
    }

    /** The size of all its messages, in bytes; 0 if they can have any. */
    int onlySize() {
        return onlySize;
    }

    /** The capability that both ends need for it. */
    Optional<Capability> capability() {
        return Optional.ofNullable(capability);
    }

    /** The rights of the memory that the peer's requests name. */
    Set<Access> exposure() {
        return isAtomic() ? Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC)
                : Set.of(Access.LOCAL_WRITE, fetches() ? Access.REMOTE_READ : Access.REMOTE_WRITE);
    }

    /** The same with immediate data. */
    Optional<Operation> withImmediate() {
        return switch (this) {
            case WRITE, WRITE_IMMEDIATE -> Optional.of(WRITE_IMMEDIATE);
            case SEND, SEND_IMMEDIATE -> Optional.of(SEND_IMMEDIATE);
            case READ, IMMEDIATE, FETCH_ADD, COMPARE_SWAP -> Optional.empty();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
