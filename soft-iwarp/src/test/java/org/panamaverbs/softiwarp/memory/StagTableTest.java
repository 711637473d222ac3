package org.panamaverbs.softiwarp.memory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StagTableTest {
    private static final int SECONDS = 60;
    private static final int BRIEFLY = 100;

    private final StagTable<RegisteredMemory> table = new StagTable<>(() -> 0x300, 1 << 10);
    private final RegisteredMemory memory = new RegisteredMemory(Arena.ofAuto().allocate(8), this, 0);

    /** A peer invalidates an STag while the program deregisters it: the program may free the memory once it is back. */
    @Test
    void shouldWaitForUsersEvenIfAnotherThreadRemovesTheMemoryToo() throws Exception {
        table.add(memory);
        assertTrue(memory.enter());
        FutureTask<Boolean> first = removing();
        while (!memory.isRetired()) {
            Thread.onSpinWait();
        }
        FutureTask<Boolean> second = removing();
        Thread.sleep(BRIEFLY);
        assertFalse(second.isDone(), "it returns while the memory is used");
        memory.exit();
        assertTrue(first.get(SECONDS, TimeUnit.SECONDS));
        assertFalse(second.get(SECONDS, TimeUnit.SECONDS), "one of the two removed it");
    }

    private FutureTask<Boolean> removing() {
        FutureTask<Boolean> task = new FutureTask<>(() -> table.remove(memory));
        Thread.ofPlatform().daemon().start(task);
        return task;
    }
}
