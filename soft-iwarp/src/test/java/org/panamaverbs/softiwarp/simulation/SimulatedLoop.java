package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.fixtures.SingleThreadLoop;

/**
 * A loop in the one thread of a simulation: the world decides when its leader does something. While a driver writes, which may be any
 * thread's doing, the world lets the leader or the program go on, as another thread would.
 */
final class SimulatedLoop extends SingleThreadLoop {
    private static final MemorySegment SCRATCH = Arena.ofAuto().allocate(4096);

    private final World world;
    private boolean inTurn;

    SimulatedLoop(World world) {
        super(SCRATCH);
        this.world = world;
    }

    /** Whether the leader is within an action of its own: then it cannot begin another. */
    boolean isBusy() {
        return inTurn;
    }

    boolean hasWork() {
        return !tasks.isEmpty() || !ready.isEmpty() || nextTimer() <= world.now();
    }

    /** Does something as the leader, which is busy meanwhile. */
    void turn(Runnable action) {
        inTurn = true;
        try {
            lead(action);
        } finally {
            inTurn = false;
        }
    }

    /** One task, turn or timer. */
    void step() {
        turn(() -> {
            boolean due = nextTimer() <= world.now();
            int choice = world.random().nextInt(3);
            if (due && (choice == 0 || tasks.isEmpty() && ready.isEmpty())) {
                timers.poll().task().run();
            } else if (!tasks.isEmpty() && (choice == 1 || ready.isEmpty())) {
                tasks.poll().run();
            } else if (!ready.isEmpty()) {
                takeTurn();
            }
        });
    }

    @Override
    public long now() {
        return world.now();
    }

    @Override
    public void call(Runnable task) {
        if (inTurn && !isLeader()) {
            throw new IllegalStateException("a thread would wait for a leader that waits for it");
        }
        super.call(task);
    }
}
