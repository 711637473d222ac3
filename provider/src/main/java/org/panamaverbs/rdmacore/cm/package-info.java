/**
 * Connecting and accepting through librdmacm. An identifier keeps the events of its connection until a thread waits for them. The queue pair
 of a connection is an interface here, and the device makes it.
 */
package org.panamaverbs.rdmacore.cm;
