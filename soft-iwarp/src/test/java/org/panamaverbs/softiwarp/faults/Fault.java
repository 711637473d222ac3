package org.panamaverbs.softiwarp.faults;

/** A fault of two processes or of the link between them, and how their connections must end. */
enum Fault {
    /** kill -9 of one end at a random moment. */
    KILL_CLIENT(false, Fault.SHORT, 3_000), KILL_SERVER(false, Fault.SHORT, 3_000),
    /** The same while frames are lost, those that tell the survivor too. */
    KILL_IN_LOSS(false, Fault.SHORT, 6_000),
    /** The link is cut and stays so: an interface is turned off, or frames of one or both directions are dropped. */
    CUT(false, Fault.SHORT, 6_000),
    /** The same with the time-outs that are set if nobody sets others. */
    CUT_BY_DEFAULT(false, "transport=epoll", 30_000),
    /** The link is cut, and comes back before a time-out. */
    CUT_AND_RETURN(true, Fault.LONG, 10_000),
    /** Frames are lost, repeated, delayed and reordered. */
    WEATHER(true, Fault.LONG, 10_000),
    /** One end is stopped for longer than any time-out: it takes nothing, but its system answers. */
    STOP(true, Fault.SHORT, 10_000);

    static final String SHORT = "transport=epoll,keepalive=2000,user-timeout=1500,request-timeout=2000";
    static final String LONG = "transport=epoll,keepalive=9000,user-timeout=8000";

    /** The order in which kinds follow each other, again and again; each {@link #PER_DEFAULT}th round is {@link #CUT_BY_DEFAULT}. */
    private static final Fault[] ORDER = { KILL_CLIENT, KILL_SERVER, CUT, WEATHER, KILL_CLIENT, KILL_SERVER, KILL_IN_LOSS, STOP,
            KILL_CLIENT, KILL_SERVER, CUT_AND_RETURN, KILL_CLIENT, KILL_SERVER, CUT, WEATHER, KILL_CLIENT, KILL_SERVER, KILL_IN_LOSS,
            KILL_CLIENT, KILL_SERVER };
    private static final int PER_DEFAULT = 200;
    /** The same for ends on one machine, between which there is no link. */
    private static final Fault[] ORDER_ON_ONE_HOST = { KILL_CLIENT, STOP, KILL_SERVER, STOP };

    /** Whether the connections live on. */
    final boolean survived;
    final String settings;
    /** The time until all connections have ended, or until traffic goes on. */
    final long limitMillis;

    Fault(boolean survived, String settings, long limitMillis) {
        this.survived = survived;
        this.settings = settings;
        this.limitMillis = limitMillis;
    }

    static Fault of(int round, boolean onOneHost) {
        if (onOneHost) {
            return ORDER_ON_ONE_HOST[round % ORDER_ON_ONE_HOST.length];
        }
        return round % PER_DEFAULT == ORDER.length - 1 ? CUT_BY_DEFAULT : ORDER[round % ORDER.length];
    }
}
