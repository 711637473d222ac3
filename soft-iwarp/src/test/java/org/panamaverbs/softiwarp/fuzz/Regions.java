package org.panamaverbs.softiwarp.fuzz;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.spi.AccessFlags;

/** The memory of a victim: regions with all kinds of rights, a window of each type, and which of them the peer may use now. */
final class Regions {
    static final int WRITABLE = 1024;
    /** More than the buffer of a stream holds, so that an answer to a Read takes one of the pool. */
    static final int READABLE = 20_000;
    static final int BACKING = 256;
    private static final long DISTANCE = 0x10_0000L;

    /** A window as it was bound. */
    static final class Binding {
        private final Window window;
        private final int stag;
        private final long offset;
        private final long length;
        private boolean over;

        Binding(Window window, int stag, long offset, long length) {
            this.window = window;
            this.stag = stag;
            this.offset = offset;
            this.length = length;
        }

        /** The window; {@code null} if this stands for an STag that is invalidated. */
        Window window() {
            return window;
        }

        int stag() {
            return stag;
        }
    }

    private final Ground ground;
    private final Object domain;
    private final StagTable<RegisteredMemory> table;
    private final Object queuePair;
    private long nextBase = DISTANCE;
    final RegisteredMemory writable;
    final RegisteredMemory readable;
    final RegisteredMemory counter;
    final RegisteredMemory sink;
    final RegisteredMemory landing;
    final RegisteredMemory source;
    final RegisteredMemory backing;
    private final RegisteredMemory foreign;
    final RegisteredMemory spare;
    private final Window[] windows = new Window[2];
    private final List<Binding> bindings = new ArrayList<>();
    private final List<RegisteredMemory> revoked = new ArrayList<>();

    Regions(Ground ground, Object domain, StagTable<RegisteredMemory> table, Object queuePair) {
        this.ground = ground;
        this.domain = domain;
        this.table = table;
        this.queuePair = queuePair;
        writable = register(WRITABLE, domain, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        readable = register(READABLE, domain, Access.REMOTE_READ);
        counter = register(64, domain, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        sink = register(Victim.SLOT * Victim.SLOTS, domain, Access.LOCAL_WRITE);
        landing = register(Victim.SLOT * Victim.SLOTS, domain, Access.LOCAL_WRITE);
        source = register(Victim.SLOT * Victim.SLOTS, domain);
        backing = register(BACKING, domain, Access.LOCAL_WRITE);
        foreign = register(64, new Object(), Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
        spare = register(64, domain, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        windows[0] = Window.allocate(table, domain, true);
        windows[1] = Window.allocate(table, domain, false);
    }

    private RegisteredMemory register(long length, Object owner, Access... rights) {
        MemorySegment part = ground.part(length);
        // Tagged Offsets that do not depend on the run. The peer may only end the access that it has.
        boolean remote = (AccessFlags.of(Set.of(rights)) & ~AccessFlags.LOCAL_WRITE) != 0;
        RegisteredMemory memory = new RegisteredMemory(part, owner, AccessFlags.of(Set.of(rights)), nextBase, remote ? queuePair : null);
        nextBase += DISTANCE;
        if (!table.add(memory)) {
            throw new AssertionError("the table is full");
        }
        return memory;
    }

    /** An STag: most of memory, some of none. */
    int stag(int choice) {
        return switch (choice % 14) {
            case 0, 1 -> writable.stag();
            case 2 -> readable.stag();
            case 3 -> counter.stag();
            case 4 -> sink.stag();
            case 5 -> landing.stag();
            case 6 -> foreign.stag();
            case 7 -> spare.stag();
            case 8 -> windows[0].stag();
            case 9 -> windows[1].stag();
            case 10 -> backing.stag();
            case 11 -> 0;
            case 12 -> writable.stag() ^ 1;
            default -> 0x7FFF_FF00;
        };
    }

    /** The Tagged Offset of the first byte of the memory that {@link #stag} names. */
    long base(int choice) {
        return switch (choice % 14) {
            case 2 -> readable.base();
            case 3 -> counter.base();
            case 4 -> sink.base();
            case 5 -> landing.base();
            case 6 -> foreign.base();
            case 7 -> spare.base();
            case 8, 9, 10 -> backing.base();
            default -> writable.base();
        };
    }

    private RegisteredMemory memory(int choice) {
        return switch (choice % 14) {
            case 0, 1 -> writable;
            case 2 -> readable;
            case 3 -> counter;
            case 4 -> sink;
            case 5 -> landing;
            case 6 -> foreign;
            case 7 -> spare;
            case 8, 9, 10 -> backing;
            default -> null;
        };
    }

    private Binding bindingOf(int choice) {
        int which = choice % 14 - 8;
        return which < 0 || which > 1 ? null
                : bindings.stream().filter(each -> each.window() == windows[which] && !each.over).findFirst().orElse(null);
    }

    private boolean isWindow(int choice) {
        return choice % 14 == 8 || choice % 14 == 9;
    }

    /** Whether an STag is valid on some stream. */
    boolean isKnown(int choice) {
        return memory(choice) != null && !revoked.contains(memory(choice)) && (!isWindow(choice) || bindingOf(choice) != null);
    }

    /** Whether an STag belongs to another protection domain. */
    boolean isForeign(int choice) {
        return memory(choice) == foreign;
    }

    /** Whether the peer may end the access of an STag: to regions that it has access to, and by windows of type 2. */
    boolean mayInvalidate(int choice) {
        return choice % 14 == 8 || !isForeign(choice) && memory(choice) != backing && memory(choice) != sink && memory(choice) != landing;
    }

    boolean allows(int choice, Access right) {
        return isWindow(choice) ? right != Access.REMOTE_ATOMIC : memory(choice).allows(AccessFlags.of(Set.of(right)));
    }

    /** The first Tagged Offset that an STag allows. */
    long begin(int choice) {
        return memory(choice).base() + (isWindow(choice) ? bindingOf(choice).offset : 0);
    }

    /** How many bytes an STag allows. */
    long length(int choice) {
        return isWindow(choice) ? bindingOf(choice).length : memory(choice).length();
    }

    Window window(int which) {
        return windows[which];
    }

    /** A window is bound, as soon as that is carried out. */
    Binding bound(int which, long offset, long length) {
        Binding binding = new Binding(windows[which], windows[which].stag(), offset, length);
        bindings.add(binding);
        return binding;
    }

    /** An STag is not valid any more. */
    void revoke(int stag) {
        for (RegisteredMemory each : List.of(writable, readable, counter, sink, landing, source, backing, spare)) {
            if (each.stag() == stag) {
                revoked.add(each);
            }
        }
        bindings.stream().filter(each -> each.stag == stag).forEach(each -> each.over = true);
    }

    /** A binding has been carried out: a window has one at a time. */
    void succeeded(Binding binding) {
        bindings.stream().takeWhile(each -> each != binding).filter(each -> each.window == binding.window)
                .forEach(each -> each.over = true);
    }

    /** Grants what the peer may write to. */
    void grant(Ground to) {
        for (RegisteredMemory each : List.of(writable, counter, spare)) {
            if (!revoked.contains(each)) {
                to.grant(each.segment(), 0, each.length());
            }
        }
        for (Binding each : bindings) {
            if (!each.over) {
                to.grant(backing.segment(), each.offset, each.length);
            }
        }
    }
}
