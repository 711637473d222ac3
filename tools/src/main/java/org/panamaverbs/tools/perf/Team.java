package org.panamaverbs.tools.perf;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.panamaverbs.Device;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Failure;

/** The threads of a measurement: each drives an {@link ActiveSide} of its own. They are measured at the same time. */
final class Team implements AutoCloseable {
    private final List<ActiveSide> sides = new ArrayList<>();

    /**
     * Connects all.
     *
     * @param connections of each thread
     * @param patience    how long the peer may do nothing, and connecting may take
     */
    Team(Device device, InetSocketAddress peer, Plan plan, int threads, int connections, Duration patience) {
        try (Rollback undo = new Rollback()) {
            for (int i = 0; i < threads; i++) {
                ActiveSide side = new ActiveSide(device, peer, plan, connections, patience);
                undo.add(side::close);
                sides.add(side);
            }
            undo.commit();
        }
    }

    /** One of them, which stands for all. */
    ActiveSide first() {
        return sides.getFirst();
    }

    int size() {
        return sides.size();
    }

    /** Measures; the calling thread is the first one. Returns a result for each thread. */
    List<Result> measure(WarmUp warmUp, long nanos, Intervals intervals) {
        Course course = new Course(sides.size(), warmUp, nanos, intervals);
        List<Member> members = new ArrayList<>();
        for (ActiveSide side : sides) {
            int index = members.size();
            members.add(new Member(side.plan().latency() ? new LatencyRun(side, course, index) : new BandwidthRun(side, course, index),
                    course));
        }
        List<Thread> others = new ArrayList<>();
        for (Member member : members.subList(1, members.size())) {
            others.add(Thread.ofPlatform().daemon().name("perf-" + (others.size() + 1)).start(member));
        }
        members.getFirst().run();
        others.forEach(Team::join);
        // A thread that fails before the measurement makes the others fail, which wait for it: the cause comes first.
        members.sort(Comparator.comparing(Member::isAbandoned));
        return members.stream().map(Member::result).toList();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted", e);
        }
    }

    /** A thread, and what it has measured. */
    private static final class Member extends FutureTask<Result> {
        private final Course course;

        Member(Run run, Course course) {
            super(run::measure);
            this.course = course;
        }

        @Override
        protected void setException(Throwable failure) {
            course.abandon();
            super.setException(failure);
        }

        boolean isAbandoned() {
            return state() == State.FAILED && exceptionNow() instanceof Course.Abandoned;
        }

        /** Its result, or throws its failure. */
        Result result() {
            if (state() == State.SUCCESS) {
                return resultNow();
            }
            if (exceptionNow() instanceof RuntimeException failure) {
                throw failure;
            }
            throw (Error) exceptionNow();
        }
    }

    @Override
    public void close() {
        sides.forEach(ActiveSide::close);
    }
}
