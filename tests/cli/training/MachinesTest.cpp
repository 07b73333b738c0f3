// SPDX-License-Identifier: GPL-3.0-or-later

// One run on two machines: network namespaces with a cable between them, and names that resolve to
// a loopback address, as Debian writes /etc/hosts.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "tests/FreePort.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

/// Two of them, 10.213.0.1 and 10.213.0.2; gone with this.
class Machines {
 public:
  Machines() {
    const std::string id = std::to_string(::getpid() % 100000);
    m_names = {"hl" + id + "a", "hl" + id + "b"};
    m_there =
        shell("set -e; ip netns add " + m_names[0] + "; ip netns add " + m_names[1] +
              "; ip link add " + m_names[0] + " netns " + m_names[0] + " type veth peer name " +
              m_names[1] + " netns " + m_names[1] + "; " + up(0) + up(1))
            .exitCode == 0;
  }
  ~Machines() {
    for (const std::string& name : m_names)
      shell("ip netns delete " + name + " 2>/dev/null || true");
  }
  bool areThere() const { return m_there; }

  /// The process that calls it is on that machine from then on.
  void enter(int machine, const fs::path& hosts) const {
    const std::string place = "/run/netns/" + m_names[static_cast<std::size_t>(machine)];
    const int network = ::open(place.c_str(), O_RDONLY | O_CLOEXEC);
    if (network < 0 || ::setns(network, CLONE_NEWNET) != 0 || ::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0)
      ::_exit(99);
  }
  void cut() const { shell("ip -n " + m_names[0] + " link set " + m_names[0] + " down"); }

 private:
  std::string up(int machine) const {
    const std::string& name = m_names[static_cast<std::size_t>(machine)];
    return "ip -n " + name + " addr add 10.213.0." + std::to_string(machine + 1) + "/24 dev " +
           name + "; ip -n " + name + " link set lo up; ip -n " + name + " link set " + name +
           " up; ";
  }

  std::vector<std::string> m_names;
  bool m_there = false;
};

class MachinesCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (!m_machines.areThere()) GTEST_SKIP() << "network namespaces need root and iproute2";
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    m_hosts = path("hosts");
    std::ofstream(m_hosts) << "127.0.0.1 localhost\n127.0.1.1 " << name << "\n";
  }

  std::unique_ptr<Program> started(int rank, int port, const Arguments& arguments) {
    ProgramOptions options = this->options();
    options.limit = std::chrono::seconds(200);
    options.inChild = [this, rank, port] {
      ::setenv("RANK", std::to_string(rank).c_str(), 1);
      ::setenv("WORLD_SIZE", "2", 1);
      ::setenv("MASTER_ADDR", "10.213.0.1", 1);
      ::setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
      m_machines.enter(rank, m_hosts);
    };
    return std::make_unique<Program>(HEADLIGHT_CLI, arguments, options);
  }
  fs::path config(int timeout) const {
    auto config = tinyTraining();
    config["threads"] = 1;
    config["training"]["timeout"] = timeout;
    return write("config.json", config);
  }

  Machines m_machines;
  fs::path m_hosts;
};

TEST_F(MachinesCliTest, TrainTogether) {
  const Arguments train{"train", config(60), "--run", "run"};
  const int port = freePort();
  const auto first = started(0, port, train), second = started(1, port, train);
  const Outcome one = first->finish(), other = second->finish();
  EXPECT_EQ(one.exitCode, 0) << one.err;
  EXPECT_EQ(other.exitCode, 0) << other.err;
  EXPECT_EQ(other.out + other.err, "");
  EXPECT_TRUE(fs::exists(path("run") / "last.safetensors"));
}

/// A cable that is pulled: both end within the time-out, and the first says who is gone.
TEST_F(MachinesCliTest, EndWhenTheyCannotReachEachOther) {
  auto endless = tinyTraining();
  endless["threads"] = 1;
  endless["training"]["timeout"] = 10;
  endless["training"]["epochs"] = 5000;
  const Arguments train{"train", write("long.json", endless), "--run", "run", "--json"};
  const int port = freePort();
  const auto first = started(0, port, train), second = started(1, port, train);
  ASSERT_TRUE(first->waitForLine(
      [](const std::string& line) { return line.find("\"step\"") != std::string::npos; }));
  m_machines.cut();
  const Outcome one = first->finish(), other = second->finish();
  EXPECT_EQ(one.exitCode, 5) << one.err;
  EXPECT_EQ(other.exitCode, 5) << other.err;
  EXPECT_NE(one.err.find("process 1 of 2"), std::string::npos) << one.err;
}

}  // namespace
}  // namespace headlight::testing
