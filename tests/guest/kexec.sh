#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: kexec.sh BACKEND
#
# While a session runs, boots a second kernel by kexec, which looks whether any counter is enabled.
# Meanwhile there's a moment for the recorder to tell how it ended.
mkdir -p next/{bin,proc,dev,sys}
cp "$(readlink -f /usr/bin/busybox)" next/bin/busybox
cp /usr/local/bin/vmport /vm/modules/msr.ko next
cat >next/init <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs devtmpfs /dev
insmod /msr.ko
/vmport run /look </dev/null
/vmport end
END
cat >next/look <<'END'
#!/bin/busybox sh
# counters that are enabled on both CPUs: event selects, and the fixed ones
enabled=0
for cpu in 0 1; do
	for reg in 390 391 392 393 394 395 396 397 909; do
		v=$(dd if=/dev/cpu/$cpu/msr bs=8 count=1 iflag=skip_bytes skip=$reg 2>/dev/null | od -An -tx4 | awk '{ print $1 }')
		case $reg in
		909) [ $((0x$v & 0x333)) -eq 0 ] || enabled=$((enabled + 1)) ;;
		*) [ $((0x$v & 0x400000)) -eq 0 ] || enabled=$((enabled + 1)) ;;
		esac
	done
done
echo "cpus $(ls -d /dev/cpu/[0-9]* | wc -l) enabled $enabled perf $(dmesg | grep -cE 'Broken|corrupted hw-PMU|Failed to access perfctr')"
END
chmod +x next/init next/look
(cd next && find . | busybox cpio -o -H newc 2>/dev/null) >next.cpio
insmod foreign.ko linger=1500
vsamp record -q -a -b "$1" -e INST_RETIRED:u,branches:u -o kexec.vsamp 2>&1 &
sleep 2
./kexec vmlinuz next.cpio "console=ttyS0 loglevel=5 nmi_watchdog=0 panic=-1"
