/** The operations on clients and sessions (RFC 8881, 18.35 to 18.37, 18.46 to 18.51). */
package org.panamaverbs.nfs.server.session;
