/** {@code pverbs doctor}: what this machine, user or container lacks for RDMA devices. */
package org.panamaverbs.tools.doctor;
