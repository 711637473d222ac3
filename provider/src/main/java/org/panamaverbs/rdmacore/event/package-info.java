/**
 * The thread of a session that reads all events of the libraries, and the objects as that thread sees them. It acknowledges each event at once,
 so that destroying an object waits for no program.
 */
package org.panamaverbs.rdmacore.event;
