package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

class LeakRecorderTest {
    @Test
    void shouldFindABufferThatNobodyReleased() throws InterruptedException {
        LeakRecorder.check();
        for (int i = 0; i < 10; i++) {
            ByteBufAllocator.DEFAULT.directBuffer(100).writeZero(100);
        }
        assertFalse(LeakRecorder.takeFound().isEmpty());
    }
}
