// SPDX-License-Identifier: MIT OR Apache-2.0
// A dumbbell in ns-3 for docs/comparisons/ns-3.md: flows of named algorithms through one bottleneck with a drop-tail queue, on one line what they did.
//
//   dumbbell --algorithms=TcpCubic,TcpLinuxReno --rate=20Mbps --rtt=40ms --queue=67 --duration=60 --warmup=20 --seed=1
//
// Prints JSON: goodput per flow over the window (Mbit/s), packets dropped at the queue, mean smoothed RTT of the samples (ms), delivered packets,
// CPU seconds of the event loop; with --trace=FILE the window of flow 0 (time in s, segments).
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

namespace {
const uint32_t SEGMENT = 1448;
uint64_t dropped = 0;
double rttSum = 0;
uint64_t rttCount = 0;
double warmupS = 0;
std::ofstream trace;

void OnDrop(Ptr<const Packet>) { dropped += Simulator::Now().GetSeconds() >= warmupS; }

void OnRtt(Time, Time now) {
    if (Simulator::Now().GetSeconds() >= warmupS) {
        rttSum += now.GetSeconds() * 1e3;
        ++rttCount;
    }
}

void OnWindow(uint32_t, uint32_t now) { trace << Simulator::Now().GetSeconds() << " " << double(now) / SEGMENT << "\n"; }

void Watch(std::string node) {
    Config::ConnectWithoutContextFailSafe("/NodeList/" + node + "/$ns3::TcpL4Protocol/SocketList/0/RTT", MakeCallback(&OnRtt));
}

void WatchWindow(std::string node) {
    Config::ConnectWithoutContextFailSafe("/NodeList/" + node + "/$ns3::TcpL4Protocol/SocketList/0/CongestionWindow", MakeCallback(&OnWindow));
}
}  // namespace

int main(int argc, char* argv[]) {
    std::string algorithms = "TcpLinuxReno", rate = "20Mbps", rtt = "40ms", file;
    uint32_t queue = 67, seed = 1, ackEvery = 2;
    double duration = 60, warmup = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("algorithms", "of the flows, by commas", algorithms);
    cmd.AddValue("rate", "of the bottleneck", rate);
    cmd.AddValue("rtt", "base round-trip time", rtt);
    cmd.AddValue("queue", "packets", queue);
    cmd.AddValue("duration", "s", duration);
    cmd.AddValue("warmup", "s", warmup);
    cmd.AddValue("ack-every", "segments per ACK", ackEvery);
    cmd.AddValue("seed", "of the starts", seed);
    cmd.AddValue("trace", "file for the window of flow 0", file);
    cmd.Parse(argc, argv);
    warmupS = warmup;
    RngSeedManager::SetSeed(seed);

    // What Linux does too: SACK, timestamps, window scaling, ten segments at first, an ACK for two; buffers that limit nobody.
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(ackEvery));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 28));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 28));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));

    std::vector<std::string> names;
    std::istringstream list(algorithms);
    for (std::string one; std::getline(list, one, ',');) names.push_back(one);

    NodeContainer routers;
    routers.Create(2);
    NodeContainer senders, receivers;
    senders.Create(names.size());
    receivers.Create(names.size());
    InternetStackHelper stack;
    stack.InstallAll();

    const Time oneWay = Time(rtt) / 2;
    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", StringValue(rate));
    bottleneck.SetChannelAttribute("Delay", TimeValue(oneWay));
    // The packet in service is out of the device's queue.
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(queue - 1) + "p"));
    NetDeviceContainer link = bottleneck.Install(routers);
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    access.SetChannelAttribute("Delay", StringValue("0ms"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    addresses.Assign(link);
    // No queue disciplines above devices: the device's queue is the bottleneck's.
    std::vector<Ptr<PacketSink>> sinks;
    Ptr<UniformRandomVariable> draw = CreateObject<UniformRandomVariable>();
    for (size_t i = 0; i < names.size(); ++i) {
        std::ostringstream base;
        base << "10.1." << 2 * i << ".0";
        addresses.SetBase(base.str().c_str(), "255.255.255.0");
        addresses.Assign(access.Install(senders.Get(i), routers.Get(0)));
        base.str("");
        base << "10.1." << 2 * i + 1 << ".0";
        addresses.SetBase(base.str().c_str(), "255.255.255.0");
        Ipv4InterfaceContainer there = addresses.Assign(access.Install(routers.Get(1), receivers.Get(i)));
        Config::Set("/NodeList/" + std::to_string(senders.Get(i)->GetId()) + "/$ns3::TcpL4Protocol/SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + names[i])));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        ApplicationContainer at = sink.Install(receivers.Get(i));
        sinks.push_back(DynamicCast<PacketSink>(at.Get(0)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(there.GetAddress(1), 5000));
        bulk.SetAttribute("MaxBytes", UintegerValue(0));
        bulk.SetAttribute("SendSize", UintegerValue(SEGMENT * 10));
        const double start = draw->GetValue(0.0, 2.0);
        bulk.Install(senders.Get(i)).Start(Seconds(start));
        const std::string node = std::to_string(senders.Get(i)->GetId());
        Simulator::Schedule(Seconds(start + 0.001), &Watch, node);
        if (i == 0 && !file.empty()) Simulator::Schedule(Seconds(start + 0.001), &WatchWindow, node);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    // The address helper puts a queue discipline on every device; only the devices' own queues shall hold packets.
    TrafficControlHelper control;
    for (uint32_t i = 0; i < NodeList::GetNNodes(); ++i)
        for (uint32_t d = 0; d < NodeList::GetNode(i)->GetNDevices(); ++d)
            if (NodeList::GetNode(i)->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(NodeList::GetNode(i)->GetDevice(d)))
                control.Uninstall(NodeList::GetNode(i)->GetDevice(d));
    DynamicCast<PointToPointNetDevice>(link.Get(0))->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&OnDrop));
    if (!file.empty()) trace.open(file);

    std::vector<uint64_t> before(names.size());
    Simulator::Schedule(Seconds(warmup), [&] { for (size_t i = 0; i < names.size(); ++i) before[i] = sinks[i]->GetTotalRx(); });
    Simulator::Stop(Seconds(duration));
    const std::clock_t began = std::clock();
    Simulator::Run();
    const double cpu = double(std::clock() - began) / CLOCKS_PER_SEC;
    uint64_t total = 0;
    std::cout << "{\"goodput_mbps\": [";
    for (size_t i = 0; i < names.size(); ++i) {
        total += sinks[i]->GetTotalRx();
        std::cout << (i ? ", " : "") << double(sinks[i]->GetTotalRx() - before[i]) * 8 / (duration - warmup) / 1e6;
    }
    std::cout << "], \"dropped\": " << dropped << ", \"rtt_ms\": " << (rttCount ? rttSum / rttCount : 0) << ", \"delivered\": " << total / SEGMENT
              << ", \"cpu_s\": " << cpu << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
