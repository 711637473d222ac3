package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import org.panamaverbs.softiwarp.progress.Driver;
import org.panamaverbs.softiwarp.progress.Loop;
import org.panamaverbs.softiwarp.progress.Timer;

/**
 * A loop in the one thread of a simulation: the world decides when its leader does something. While a driver writes, which may be any
 * thread's doing, the world lets the leader or the program go on, as another thread would.
 */
final class SimulatedLoop implements Loop {
    private static final MemorySegment SCRATCH = Arena.ofAuto().allocate(4096);

    private final World world;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Driver> ready = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private boolean leading;
    private boolean inTurn;

    SimulatedLoop(World world) {
        this.world = world;
    }

    /** Does something as the leader. */
    void lead(Runnable action) {
        boolean before = leading;
        leading = true;
        try {
            action.run();
        } finally {
            leading = before;
        }
    }

    /** Does something as a thread of the program. */
    void follow(Runnable action) {
        boolean before = leading;
        leading = false;
        try {
            action.run();
        } finally {
            leading = before;
        }
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
                Driver driver = ready.poll();
                if (driver.onTurn()) {
                    ready.add(driver);
                }
            }
        });
    }

    /** When the next timer is due, or the end of time. */
    long nextTimer() {
        while (!timers.isEmpty() && timers.peek().task() == null) {
            timers.poll();
        }
        return timers.isEmpty() ? Long.MAX_VALUE : timers.peek().deadline();
    }

    @Override
    public long now() {
        return world.now();
    }

    @Override
    public boolean isLeader() {
        return leading;
    }

    @Override
    public void add(Driver driver) {
        // There is one.
    }

    @Override
    public void remove(Driver driver) {
        // There is one.
    }

    @Override
    public void addReady(Driver driver) {
        ready.add(driver);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Timer timer = new Timer(world.now() + delayNanos, task);
        timers.add(timer);
        return timer;
    }

    @Override
    public void call(Runnable task) {
        if (inTurn && !leading) {
            throw new IllegalStateException("a thread would wait for a leader that waits for it");
        }
        lead(task);
    }

    @Override
    public MemorySegment scratch() {
        return SCRATCH;
    }
}
