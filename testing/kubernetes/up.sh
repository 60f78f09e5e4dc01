#!/usr/bin/env bash
# Starts a Kubernetes cluster whose files lie in the new folder $1, prints
# KUBECONFIG=<path> when it is ready, and runs until SIGTERM or SIGINT, when it
# removes all it made. Environment:
#   KUBE_CACHE  folder that build.sh filled (required)
#   NODES       number of nodes that run Pods (default 1; 0: control plane only, on 127.0.0.1)
#   SUBNET      first two numbers of the cluster's addresses (default 10.213)
#   IMAGES      image archives for every node, separated by spaces
#   CGROUP      name of the cluster's control groups (default: made from the folder's name)
#   API_FLAGS   more flags of kube-apiserver, separated by spaces
#   CONTROLLERS controllers to run, as --controllers of kube-controller-manager has them (default: *)
set -euo pipefail

if [ "${1:-}" != --inside ]; then
  : "${KUBE_CACHE:?the folder that build.sh filled}"
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  [ -z "$(ls -A "$dir")" ] || { echo "$dir is not empty" >&2; exit 2; }
  # Pods and nodes need these; whichever this machine has not is removed again.
  made=()
  for folder in /run/netns /run/containerd /var/lib/kubelet /var/lib/cni; do
    [ -e "$folder" ] || { mkdir -p "$folder"; made+=("$folder"); }
  done
  export KUBE_CACHE NODES=${NODES:-1} SUBNET=${SUBNET:-10.213} IMAGES=${IMAGES:-} API_FLAGS=${API_FLAGS:-} CONTROLLERS=${CONTROLLERS:-*}
  name=k8s-$(printf %s "$dir" | sha256sum | cut -c1-6)
  export CGROUP=${CGROUP:-$name}
  [ "$NODES" = 0 ] || ! ip route show | grep -q "^$SUBNET\." || { echo "$SUBNET.0.0/16 is in use: set SUBNET" >&2; exit 2; }

  clean() {
    trap '' TERM INT
    [ -z "${inside:-}" ] || kill -KILL "$inside" 2>/dev/null || true
    wait 2>/dev/null || true
    for ((try = 0; try < 50; try++)); do
      left=$(find /sys/fs/cgroup -maxdepth 2 -type d -name "$CGROUP" 2>/dev/null)
      [ -n "$left" ] || break
      # shellcheck disable=SC2086
      find $left -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
    rm -rf "$dir"
    [ "${#made[@]}" = 0 ] || rmdir "${made[@]}" 2>/dev/null || true
  }
  trap clean EXIT
  trap 'exit 143' TERM
  trap 'exit 130' INT

  # Its own process and mount namespace: when its first process dies, everything it started dies with it, and no mount
  # and no network namespace is left. That process dies when this one does.
  setpriv --pdeathsig KILL unshare --pid --fork --kill-child=KILL --mount-proc --mount --propagation private "$BASH" "$0" --inside "$dir" "$name" &
  inside=$!
  wait "$inside"
  exit $?
fi

dir=$2 name=$3 scripts=$(cd "$(dirname "$0")" && pwd) kube=$KUBE_CACHE/kube
service_range=$SUBNET.128.0/17 dns_address=$SUBNET.128.10
started=$(date +%s%N)
said() { echo "[$((($(date +%s%N) - started) / 1000000)) ms] $*" >&2; }
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || [[ " ${taken:-} " == *" $port "* ]]; do :; done
  taken="${taken:-} $port"
  REPLY=$port
}
background() { # log, command...
  local log=$1
  shift
  "$@" >>"$dir/log/$log.log" 2>&1 &
}
keep() { # log, command...: started again when it ends, as the service manager of a real machine does
  local log=$1
  shift
  while :; do
    "$@" || echo "ended with $?"
    sleep 0.5
  done >>"$dir/log/$log.log" 2>&1 &
}
await() { # what, command...
  local what=$1 deadline=$((SECONDS + 120))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "no $what after 120 s; the last lines of the logs:" >&2
      tail -n 3 "$dir"/log/*.log >&2
      exit 1
    fi
    sleep 0.1
  done
  said "$what"
}
mkdir -p "$dir"/{pki,log,etc/registries}
mount --bind "$dir" "$dir"
mount --make-shared "$dir"
mount -t tmpfs tmpfs /run/netns

# --- network: a switch in a namespace of its own, with this machine and every node plugged in
host=127.0.0.1
if [ "$NODES" -gt 0 ]; then
  host=$SUBNET.0.1
  ip netns add "$name-switch"
  ip -n "$name-switch" link add br0 type bridge
  ip -n "$name-switch" link set br0 up
  ip link add "$name" type veth peer name host netns "$name-switch"
  ip -n "$name-switch" link set host master br0 up
  ip address add "$host/24" dev "$name"
  ip link set "$name" up
  for ((i = 1; i <= NODES; i++)); do
    node=$name-node-$i
    ip netns add "$node"
    ip -n "$node" link set lo up
    ip -n "$node" link add eth0 type veth peer name "node$i" netns "$name-switch"
    ip -n "$name-switch" link set "node$i" master br0 up
    ip -n "$node" address add "$SUBNET.0.$((1 + i))/24" dev eth0
    ip -n "$node" link set eth0 up
    ip -n "$node" route add default via "$host"
    for ((j = 1; j <= NODES; j++)); do
      [ "$i" = "$j" ] || ip -n "$node" route add "$SUBNET.$((64 + j)).0/24" via "$SUBNET.0.$((1 + j))"
    done
    ip route add "$SUBNET.$((64 + i)).0/24" via "$SUBNET.0.$((1 + i))"
  done
  ip route add "$service_range" via "$SUBNET.0.2"
fi

# --- certificates
pki=$dir/pki
ca() { # name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=$1" \
    -addext "keyUsage=critical,keyCertSign,digitalSignature" -keyout "$pki/$1.key" -out "$pki/$1.crt" 2>/dev/null
}
certificate() { # name, issuer, subject, [subjectAltName]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "$3" -keyout "$pki/$1.key" 2>/dev/null |
    openssl x509 -req -days 30 -CA "$pki/$2.crt" -CAkey "$pki/$2.key" -set_serial "0x$(openssl rand -hex 8)" -out "$pki/$1.crt" \
      -extfile <(echo "extendedKeyUsage=clientAuth,serverAuth"; echo "keyUsage=digitalSignature"; [ -z "${4:-}" ] || echo "subjectAltName=$4") 2>/dev/null
}
kubeconfig() { # name
  cat >"$dir/etc/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://$host:$api_port", certificate-authority-data: $(base64 -w0 "$pki/ca.crt")}}]
users: [{name: "$1", user: {client-certificate-data: $(base64 -w0 "$pki/$1.crt"), client-key-data: $(base64 -w0 "$pki/$1.key")}}]
contexts: [{name: test, context: {cluster: test, user: "$1"}}]
current-context: test
YAML
}
free_port; api_port=$REPLY
free_port; etcd_port=$REPLY
free_port; peer_port=$REPLY
free_port; manager_port=$REPLY
free_port; scheduler_port=$REPLY
ca ca
ca front-proxy-ca
openssl ecparam -name prime256v1 -genkey -noout -out "$pki/service-account.key" 2>/dev/null
certificate apiserver ca /CN=kube-apiserver "IP:127.0.0.1,IP:$host,IP:$SUBNET.128.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
certificate apiserver-kubelet ca /O=system:masters/CN=kube-apiserver-kubelet-client
certificate front-proxy front-proxy-ca /CN=front-proxy-client
certificate admin ca /O=system:masters/CN=admin
certificate controller-manager ca /CN=system:kube-controller-manager
certificate scheduler ca /CN=system:kube-scheduler
certificate proxy ca /CN=system:kube-proxy
certificate coredns ca /CN=system:coredns
for user in admin controller-manager scheduler proxy coredns; do kubeconfig "$user"; done
export KUBECONFIG=$dir/etc/admin.kubeconfig
kubectl() { "$kube" kubectl "$@"; }
said certificates

# --- control plane
keep etcd "$kube" etcd --name=test --data-dir="$dir/etcd" --unsafe-no-fsync --log-level=warn \
  --listen-client-urls="http://127.0.0.1:$etcd_port" --advertise-client-urls="http://127.0.0.1:$etcd_port" \
  --listen-peer-urls="http://127.0.0.1:$peer_port" --initial-advertise-peer-urls="http://127.0.0.1:$peer_port" \
  --initial-cluster="test=http://127.0.0.1:$peer_port" --quota-backend-bytes=4294967296
# shellcheck disable=SC2086
keep kube-apiserver "$kube" kube-apiserver --etcd-servers="http://127.0.0.1:$etcd_port" \
  --bind-address="$host" --secure-port="$api_port" --advertise-address="${host/127.0.0.1/$SUBNET.0.1}" \
  --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
  --kubelet-client-certificate="$pki/apiserver-kubelet.crt" --kubelet-client-key="$pki/apiserver-kubelet.key" \
  --kubelet-certificate-authority="$pki/ca.crt" --kubelet-preferred-address-types=InternalIP \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file="$pki/service-account.key" --service-account-signing-key-file="$pki/service-account.key" \
  --requestheader-client-ca-file="$pki/front-proxy-ca.crt" --requestheader-allowed-names=front-proxy-client \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$pki/front-proxy.crt" --proxy-client-key-file="$pki/front-proxy.key" --enable-aggregator-routing=true \
  --service-cluster-ip-range="$service_range" --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --allow-privileged=true --profiling=false $API_FLAGS
await "API server" kubectl get --raw=/readyz
keep kube-controller-manager "$kube" kube-controller-manager --kubeconfig="$dir/etc/controller-manager.kubeconfig" \
  --authentication-kubeconfig="$dir/etc/controller-manager.kubeconfig" --authorization-kubeconfig="$dir/etc/controller-manager.kubeconfig" \
  --bind-address=127.0.0.1 --secure-port="$manager_port" --leader-elect=false --kube-api-qps=500 --kube-api-burst=1000 --use-service-account-credentials=true \
  --service-account-private-key-file="$pki/service-account.key" --root-ca-file="$pki/ca.crt" \
  --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" --profiling=false --controllers="$CONTROLLERS"
keep kube-scheduler "$kube" kube-scheduler --kubeconfig="$dir/etc/scheduler.kubeconfig" \
  --authentication-kubeconfig="$dir/etc/scheduler.kubeconfig" --authorization-kubeconfig="$dir/etc/scheduler.kubeconfig" \
  --bind-address=127.0.0.1 --secure-port="$scheduler_port" --leader-elect=false --profiling=false

# --- nodes
if [ "$NODES" -gt 0 ]; then
  # What a kubelet would write into the machine's own settings it finds here as it wants it.
  for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
    file=$dir/etc/$(basename "${setting%=*}")
    echo "${setting#*=}" >"$file"
    mount --bind "$file" "/proc/sys/${setting%=*}"
  done
  kubectl apply -f - >/dev/null <<YAML
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: system:coredns}
rules:
- {apiGroups: [""], resources: [endpoints, services, pods, namespaces], verbs: [list, watch]}
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: system:coredns}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:coredns}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: system:coredns}]
---
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: $dns_address, ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
endpoints: [{addresses: [$host]}]
YAML
  cat >"$dir/etc/Corefile" <<CONF
.:53 {
  bind $host
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $dir/etc/coredns.kubeconfig test
  }
  cache 5
  loadbalance
}
CONF
  keep coredns "$kube" coredns -conf "$dir/etc/Corefile" -quiet
  for ((i = 1; i <= NODES; i++)); do
    certificate "node-$i" ca "/O=system:nodes/CN=system:node:node-$i" "IP:$SUBNET.0.$((1 + i)),DNS:node-$i"
    kubeconfig "node-$i"
    background "node-$i" nsenter --net="/run/netns/$name-node-$i" \
      unshare --mount --uts --propagation slave "$BASH" "$scripts/node.sh" "$dir" "$name" "$i"
  done
  for ((i = 1; i <= NODES; i++)); do
    await "container runtime of node-$i" ctr -a "$dir/node-$i/containerd.sock" version
    for archive in "$KUBE_CACHE/pause.tar" $IMAGES; do
      ctr -a "$dir/node-$i/containerd.sock" -n k8s.io images import "$archive" >/dev/null
    done
  done
  for ((i = 1; i <= NODES; i++)); do
    await "node-$i" kubectl wait --for=condition=Ready "node/node-$i" --timeout=10s
  done
fi
await "default service account" kubectl get serviceaccount default
echo "KUBECONFIG=$KUBECONFIG"
wait
