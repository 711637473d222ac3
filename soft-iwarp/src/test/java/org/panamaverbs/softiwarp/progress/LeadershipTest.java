package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The table of {@link Leadership}. Concurrent calls of several threads are tested in {@code stress}. */
class LeadershipTest {
    /** The calling thread is not the progress thread. */
    private static Leadership ofPollers() {
        return new Leadership(new Thread(() -> {
        }));
    }

    /** The calling thread is the progress thread. */
    private static Leadership ofProgress() {
        return new Leadership(Thread.currentThread());
    }

    /** The answer to a call by another thread. */
    private static boolean elsewhere(Leadership leadership, Predicate<Leadership> event) {
        return CompletableFuture.supplyAsync(() -> event.test(leadership), task -> new Thread(task).start()).join();
    }

    private static void assertFollowers(int expected, Leadership leadership) {
        int counted = 0;
        while (leadership.hasFollowers()) {
            leadership.unfollow();
            counted++;
        }
        assertEquals(expected, counted);
    }

    @Test
    void shouldBeLedByOneThread() {
        Leadership leadership = ofPollers();
        assertFalse(leadership.isLeader());
        assertTrue(leadership.tryLead());
        assertTrue(leadership.isLeader());
        assertFalse(elsewhere(leadership, Leadership::isLeader));
        assertFalse(elsewhere(leadership, Leadership::tryLead));
        assertFalse(elsewhere(leadership, Leadership::tryLeadForAll));
        assertFalse(elsewhere(leadership, Leadership::takeBack));
        assertFalse(leadership.isLedByProgress());
        assertFalse(leadership.cede(), "nobody waits");
        assertFalse(leadership.isLeader());
        assertTrue(elsewhere(leadership, Leadership::tryLead));
    }

    @Test
    void shouldBeLedForAllWhileThreadsWait() {
        Leadership leadership = ofPollers();
        leadership.follow();
        assertFalse(leadership.tryLead());
        assertTrue(leadership.tryLeadForAll());
        assertFalse(leadership.isLedByProgress());
        assertTrue(leadership.cede(), "a thread waits");
        leadership.unfollow();
        assertTrue(leadership.tryLead());
    }

    @Test
    void shouldKnowThatTheProgressThreadLeads() {
        Leadership leadership = ofProgress();
        assertTrue(leadership.tryLeadForAll());
        assertTrue(leadership.isLedByProgress());
        assertFalse(leadership.cede());
        assertFalse(leadership.isLedByProgress());
        assertTrue(leadership.takeBack());
        assertTrue(leadership.isLedByProgress());
        assertFalse(leadership.cede());
        assertFalse(leadership.isLedByProgress());
    }

    @Test
    void shouldAskTheProgressThreadOnceToStepBack() {
        Leadership leadership = ofProgress();
        assertFalse(leadership.want(), "it does not lead");
        assertTrue(leadership.takeBack());
        assertFalse(leadership.stepsBack(), "nobody has asked");
        assertTrue(leadership.want());
        assertFalse(leadership.want(), "it is asked already");
        assertTrue(leadership.stepsBack());
        assertFalse(leadership.cede());
        assertTrue(elsewhere(leadership, Leadership::tryLead));
        assertFalse(leadership.want(), "another thread leads");
    }

    @Test
    void shouldNotStepBackWhileThreadsWait() {
        Leadership leadership = ofProgress();
        assertTrue(leadership.takeBack());
        assertTrue(leadership.want());
        assertFalse(leadership.follow(), "the progress thread leads");
        assertFalse(leadership.stepsBack());
        assertFalse(leadership.want(), "a thread waits");
        leadership.unfollow();
        assertFalse(leadership.stepsBack(), "it is no more asked");
        assertTrue(leadership.want());
        assertTrue(leadership.stepsBack());
    }

    @Test
    void shouldHandBackIfAThreadWaitsAndNoneLeads() {
        Leadership leadership = ofProgress();
        assertTrue(leadership.follow(), "nobody leads");
        assertTrue(elsewhere(leadership, Leadership::tryLeadForAll));
        assertFalse(leadership.follow(), "a thread leads");
        assertTrue(elsewhere(leadership, Leadership::cede), "threads wait");
        assertFollowers(2, leadership);
    }

    @Test
    void shouldForgetWhatWasAskedWhenTheProgressThreadTakesBack() {
        Leadership leadership = ofProgress();
        leadership.follow();
        assertFalse(leadership.isHandedBack());
        leadership.handBack();
        assertTrue(leadership.isHandedBack());
        assertTrue(leadership.takeBack());
        assertFalse(leadership.isHandedBack());
        assertFollowers(1, leadership);
        assertTrue(leadership.want());
        assertFalse(leadership.cede());
        assertTrue(leadership.takeBack());
        assertFalse(leadership.stepsBack());
    }

    @Test
    void shouldForgetWhatWasAskedThoughAnotherThreadLeads() {
        Leadership leadership = ofProgress();
        assertTrue(elsewhere(leadership, Leadership::tryLead));
        leadership.follow();
        leadership.handBack();
        assertFalse(leadership.takeBack());
        assertFalse(leadership.isHandedBack());
        assertTrue(elsewhere(leadership, Leadership::cede), "that thread hands back");
        assertFollowers(1, leadership);
    }
}
