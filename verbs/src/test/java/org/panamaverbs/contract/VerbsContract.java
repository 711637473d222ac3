package org.panamaverbs.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** All themes for one pair of providers: extend it, say which pair, and the whole suite runs. */
public abstract class VerbsContract {
    /** The pair to test. */
    protected abstract VerbsPair pair();

    @Nested
    class Listen extends ListenContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Connect extends ConnectContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Route extends RouteContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class ConnectedQueuePair extends ConnectedQueuePairContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Query extends QueryContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class PrivateData extends PrivateDataContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Reject extends RejectContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class ReadDepth extends ReadDepthContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class FirstMessage extends FirstMessageContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Disconnect extends DisconnectContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class SendReceive extends SendReceiveContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class WriteRead extends WriteReadContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Ordering extends OrderingContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Completion extends CompletionContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Admission extends AdmissionContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Channel extends ChannelContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Lifetime extends LifetimeContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class HostilePeer extends HostilePeerContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class BackPressure extends BackPressureContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Statistics extends StatisticsContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    /** Needs the compiler that avoids allocations. */
    @Nested
    @Tag("proofs")
    class Allocation extends AllocationContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Registration extends RegistrationContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class RegionScope extends RegionScopeContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Device extends DeviceContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class AsynchronousEvent extends AsynchronousEventContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class SharedReceiveQueue extends SharedReceiveQueueContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Immediate extends ImmediateContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class ImmediateMessage extends ImmediateMessageContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Atomic extends AtomicContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class MemoryWindow extends MemoryWindowContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Invalidate extends InvalidateContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Timestamp extends TimestampContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Datagram extends DatagramContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Posting extends PostingContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Request extends RequestContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Cursor extends CursorContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Wait extends WaitContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class End extends EndContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Progress extends ProgressContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Bootstrap extends BootstrapContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Resize extends ResizeContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }

    @Nested
    class Dispatcher extends DispatcherContract {
        @Override
        protected VerbsPair pair() {
            return VerbsContract.this.pair();
        }
    }
}
