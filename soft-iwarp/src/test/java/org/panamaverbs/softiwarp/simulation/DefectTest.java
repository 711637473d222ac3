package org.panamaverbs.softiwarp.simulation;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A defect of ours ends its connection, and the connection's failure does not blame the peer. */
class DefectTest {
    private final World world = new World(1);

    @Test
    void shouldTellOfADefectWhileReceiving() {
        assertTold("received", new SimulatedChannel(world, 0) {
            @Override
            public long read(IoVector into) {
                throw new IllegalArgumentException("a defect");
            }
        });
    }

    @Test
    void shouldTellOfADefectWhileTransmitting() {
        assertTold("transmitted", new SimulatedChannel(world, 0) {
            @Override
            public long write(IoVector from) {
                throw new IllegalArgumentException("a defect");
            }
        });
    }

    private void assertTold(String doing, SimulatedChannel channel) {
        SimulatedChannel far = new SimulatedChannel(world, 1);
        SimulatedPipe there = new SimulatedPipe(world, channel, far, 1000, false, null);
        SimulatedPipe back = new SimulatedPipe(world, far, channel, 1000, false, null);
        channel.connect(back, there);
        far.connect(there, back);
        Node near = new Node(world, 0, channel);
        Node peer = new Node(world, 1, far);
        near.meet(peer);
        peer.meet(near);
        near.start();
        peer.start();
        for (int i = 0; i < 10_000 && near.failure() == null; i++) {
            near.step();
        }
        VerbsException failure = near.failure();
        assertInstanceOf(SystemException.class, failure);
        assertTrue(failure.getMessage().contains("soft-iwarp itself failed while it " + doing), failure::getMessage);
        assertInstanceOf(IllegalArgumentException.class, failure.getCause());
    }
}
