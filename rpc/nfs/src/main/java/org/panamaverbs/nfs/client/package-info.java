/** A client of NFS version 4.1: one session, files read into and written from memory segments. */
package org.panamaverbs.nfs.client;
