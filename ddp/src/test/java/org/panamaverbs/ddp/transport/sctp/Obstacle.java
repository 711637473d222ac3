package org.panamaverbs.ddp.transport.sctp;

/** A program that says whether SCTP works here: for machines from which something is taken away. */
final class Obstacle {
    private Obstacle() {
    }

    public static void main(String[] arguments) {
        System.out.println(SctpAvailability.obstacle().orElse("SCTP works here"));
    }
}
