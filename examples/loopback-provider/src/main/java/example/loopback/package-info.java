/**
 * Verbs within one JVM: an example of a provider. Peers find each other in a table of listeners, and the thread that posts a request copies
 * its bytes to the peer.
 *
 * <p>From the bottom up: {@link example.loopback.Fabric} has the lock and the table, {@link example.loopback.Request} and
 * {@link example.loopback.RequestQueue} what is posted. {@link example.loopback.LoopbackQueuePair} carries requests out. The other classes
 * are the objects of verbs and of the connection manager.
 */
package example.loopback;
