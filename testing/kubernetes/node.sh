#!/usr/bin/env bash
# One node, in the network and mount namespace that up.sh made for it: containerd, kubelet and kube-proxy.
set -euo pipefail

dir=$1 index=$3
kube=$KUBE_CACHE/kube state=$dir/node-$index address=$SUBNET.0.$((1 + index)) pods=$SUBNET.$((64 + index)).0/24
hostname "node-$index"
echo 1 >/proc/sys/net/ipv4/ip_forward

# The folders that are the same for every node on a machine, each its own here.
mkdir -p "$state"/{containerd,cni/conf,cni/state,kubelet,log} /run/containerd /var/lib/kubelet /var/lib/cni
mount --bind "$state/kubelet" /var/lib/kubelet
mount --make-shared /var/lib/kubelet
mount --bind "$state/cni/state" /var/lib/cni
mount --bind "$state/log" /var/log
mount -t tmpfs tmpfs /run/containerd

# A subtree of cgroups that can be removed as a whole.
for hierarchy in /sys/fs/cgroup/*/; do
  [ -e "$hierarchy/cgroup.procs" ] && [ "$(stat -fc %T "$hierarchy")" = cgroupfs ] || continue
  mkdir -p "$hierarchy$CGROUP/node-$index"
  if [ "$hierarchy" = /sys/fs/cgroup/cpuset/ ]; then
    for level in "$CGROUP" "$CGROUP/node-$index"; do
      cat "${hierarchy}cpuset.cpus" >"$hierarchy$level/cpuset.cpus"
      cat "${hierarchy}cpuset.mems" >"$hierarchy$level/cpuset.mems"
    done
  fi
done

cat >"$state/cni/conf/10-pods.conflist" <<JSON
{"cniVersion":"1.0.0","name":"pods","plugins":[
  {"type":"bridge","bridge":"cni0","isGateway":true,"hairpinMode":true,
   "ipam":{"type":"host-local","ranges":[[{"subnet":"$pods"}]],"routes":[{"dst":"0.0.0.0/0"}]}},
  {"type":"portmap","capabilities":{"portMappings":true}}]}
JSON
cat >"$state/containerd.toml" <<TOML
version = 2
root = "$state/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = "$state/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
netns_mounts_under_state_dir = true
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "$dir/etc/registries"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$state/cni/conf"
TOML
cat >"$state/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $address
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $dir/pki/node-$index.crt
tlsPrivateKeyFile: $dir/pki/node-$index.key
containerRuntimeEndpoint: unix://$state/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP/node-$index
failCgroupV1: false
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [$SUBNET.128.10]
resolvConf: $state/resolv.conf
serializeImagePulls: false
# How often it puts changes of a ConfigMap into the folders of pods that run. By default a test waits up to 90 seconds for one.
syncFrequency: 10s
oomScoreAdj: 0
maxPods: 250
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0%, imagefs.inodesFree: 0%}
imageGCHighThresholdPercent: 100
YAML
: >"$state/resolv.conf"
cat >"$state/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $dir/etc/proxy.kubeconfig}
hostnameOverride: node-$index
oomScoreAdj: 0
mode: nftables
clusterCIDR: $SUBNET.64.0/18
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
YAML

containerd --config "$state/containerd.toml" --log-level warn >>"$dir/log/containerd-$index.log" 2>&1 &
until [ -S "$state/containerd.sock" ]; do sleep 0.1; done
"$kube" kube-proxy --config="$state/proxy.yaml" >>"$dir/log/kube-proxy-$index.log" 2>&1 &
# Started again when it ends, as the service manager of a real machine does.
while :; do
  "$kube" kubelet --config="$state/kubelet.yaml" --kubeconfig="$dir/etc/node-$index.kubeconfig" \
    --hostname-override="node-$index" --node-ip="$address" || echo "ended with $?"
  sleep 0.5
done >>"$dir/log/kubelet-$index.log" 2>&1
