// SPDX-License-Identifier: GPL-3.0-or-later

// fetch: the list, a download from a hub of this machine, what goes wrong, and looking with it.

#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "core/workbench/hub/ModelFetch.h"
#include "tests/HubServer.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

constexpr const char* kTiny = "vit_tiny_patch16_224.augreg_in21k";
constexpr const char* kFile = "model.safetensors";

class FetchCliTest : public CliTest {
 protected:
  using Variables = std::map<std::string, std::string>;

  void SetUp() override {
    CliTest::SetUp();
    if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  }
  void serve(const HubServer::Meddle& meddle = {}, const HubContent& content = tinyVitContent()) {
    m_hub = std::make_unique<HubServer>(content, meddle);
    m_variables = {{"HF_ENDPOINT", m_hub->address()}, {"HF_HOME", path("home").string()}};
  }
  ProgramOptions hubOptions() const {
    ProgramOptions options = this->options();
    options.inChild = [variables = m_variables] {
      for (const char* name : {"HF_HUB_CACHE", "HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_OFFLINE",
                               "http_proxy", "https_proxy", "all_proxy"})
        ::unsetenv(name);
      for (const auto& [name, value] : variables)
        ::setenv(name.c_str(), value.c_str(), 1);
    };
    return options;
  }
  Outcome fetch(const Arguments& arguments) const {
    Arguments all{"fetch"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return cli(all, hubOptions());
  }
  fs::path repository() const { return path("home/hub/models--timm--") += kTiny; }
  fs::path partial() const { return repository() / "blobs" / (m_hub->etag(kFile) + ".incomplete"); }

  std::unique_ptr<HubServer> m_hub;
  Variables m_variables{{"HF_HOME", "/nowhere/at/all"}};
};

HubContent microContent() {
  const fs::path folder = kGolden /
                          "hf_home/hub/models--timm--vit_small_patch14_reg4_dinov2.micro" /
                          "snapshots" / kHubCommit;
  HubContent content;
  content.repository = "timm/vit_small_patch14_reg4_dinov2.micro";
  for (const char* name : {"config.json", kFile})
    content.files[name] = readBytes(folder / name);
  return content;
}

TEST_F(FetchCliTest, TheListIsSearched) {
  const Outcome all = fetch({"--list"});
  expectOk(all);
  EXPECT_GT(std::count(all.out.begin(), all.out.end(), '\n'), 20);
  const Outcome some = fetch({"--list", "DEIT", "tiny"});
  expectOk(some);
  EXPECT_NE(some.out.find("deit_tiny_patch16_224.fb_in1k"), std::string::npos);
  EXPECT_NE(some.out.find("apache-2.0"), std::string::npos);
  EXPECT_NE(some.out.find("23 MB"), std::string::npos);
  EXPECT_EQ(some.out.find("small"), std::string::npos);
  const json listed = fetch({"--list", "deit_tiny_patch16_224", "--json"}).json();
  const json& weights = listed["weights"][0];
  EXPECT_EQ(weights["name"], "deit_tiny_patch16_224.fb_in1k");
  EXPECT_EQ(weights["parameters"], 5717416);
  EXPECT_EQ(weights["classes"], 1000);
  EXPECT_EQ(weights["license"], "apache-2.0");
  EXPECT_TRUE(weights["folder"].is_null());
}

TEST_F(FetchCliTest, ItSaysWhereItLiesAndHowToLook) {
  serve();
  const Outcome outcome = fetch({kTiny});
  expectOk(outcome);
  const fs::path folder = repository() / "snapshots" / kHubCommit;
  EXPECT_EQ(outcome.out, folder.string() + "\n");
  EXPECT_NE(outcome.err.find("apache-2.0"), std::string::npos);
  EXPECT_NE(outcome.err.find("--model " + folder.string()), std::string::npos);
  EXPECT_EQ(readBytes(folder / kFile), m_hub->bytes(kFile));
  const json again = fetch({kTiny, "--json"}).json();
  EXPECT_EQ(again["folder"], folder.string());
  EXPECT_EQ(again["commit"], kHubCommit);
  EXPECT_EQ(again["downloaded_bytes"], 0);
  EXPECT_EQ(again["repository"], std::string("timm/") + kTiny);
  const Outcome list = fetch({"--list", kTiny});
  EXPECT_NE(list.out.find("here"), std::string::npos) << list.out;
}

/// As the person goes on: the model of the golden cache entry, by its folder.
TEST_F(FetchCliTest, FetchedModelsOpen) {
  serve({}, microContent());
  const Outcome outcome = fetch({"timm/vit_small_patch14_reg4_dinov2.micro", "--json"});
  expectOk(outcome);
  const std::string folder = outcome.json()["folder"];
  fs::path image;
  for (const auto& entry : fs::recursive_directory_iterator(smallImages() / "val"))
    if (entry.is_regular_file()) image = entry.path();
  const Outcome predicted = run({"predict", image, "--model", folder, "--json"});
  expectOk(predicted);
  EXPECT_NE(predicted.out.find("a name with a comma"), std::string::npos) << predicted.out;
}

/// The weights were gone, and it said that all is well.
TEST_F(FetchCliTest, ACacheThatWasCopiedWithItsLinksFollowedKeepsItsFiles) {
  serve();
  expectOk(fetch({kTiny}));
  const fs::path first = path("home"), copy = path("copied");
  fs::copy(first, copy, fs::copy_options::recursive);  // follows links
  m_variables["HF_HOME"] = copy.string();
  const fs::path entry = copy / "hub" / repository().filename();
  fs::remove_all(entry / "blobs");
  const json fetched = fetch({kTiny, "--json"}).json();
  EXPECT_EQ(fetched["downloaded_bytes"], 0);
  const fs::path file = fetched["file"].get<std::string>();
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
  EXPECT_EQ(readBytes(file), m_hub->bytes(kFile));
  EXPECT_NE(fetch({"--list", kTiny}).out.find("here"), std::string::npos);

  fs::resize_file(file, 1'000'000);
  EXPECT_EQ(fetch({"--list", kTiny}).out.find("here"), std::string::npos);
  expectOk(fetch({kTiny}));
  EXPECT_EQ(readBytes(file), m_hub->bytes(kFile));
}

TEST_F(FetchCliTest, ProblemsHaveTheirExitCodes) {
  serve();
  expectError(fetch({}), 2, {"fetch", "--list"});
  expectError(fetch({"deit_tinny_patch16_224"}), 2, {"did you mean deit_tiny_patch16_224"});
  expectError(fetch({"somebody/else"}), 3, {"somebody/else", "no such repository"});
  m_variables["HF_HUB_OFFLINE"] = "1";
  expectError(fetch({kTiny}), 5, {"HF_HUB_OFFLINE"});
  EXPECT_EQ(m_hub->requests().size(), 1u);
  serve([](const ServerRequest&, ServerReply reply) {
    reply.status = 403;
    return std::optional(reply);
  });
  expectError(fetch({kTiny}), 5, {"license", "HF_TOKEN"});
  m_variables["HF_ENDPOINT"] = "http://127.0.0.1:1";
  expectError(fetch({kTiny}), 5, {"no connection"});
}

TEST_F(FetchCliTest, LiesAreFound) {
  serve([](const ServerRequest& request, ServerReply reply) {
    if (request.method == "GET" && request.path.ends_with(kFile)) reply.body.back() ^= 1;
    return std::optional(reply);
  });
  expectError(fetch({kTiny}), 3, {"SHA-256", kFile});
  EXPECT_FALSE(fs::exists(partial()));
}

TEST_F(FetchCliTest, TheTokenIsTheFilesToo) {
  serve();
  fs::create_directories(path("home"));
  std::ofstream(path("home/token")) << "hf_of_a_file\n";
  expectOk(fetch({kTiny}));
  for (const auto& request : m_hub->requests())
    EXPECT_EQ(request.header("authorization"), "Bearer hf_of_a_file");
}

TEST_F(FetchCliTest, ABusyHubIsAskedAgainAsItSays) {
  auto count = std::make_shared<std::atomic<int>>(0);
  serve([count](const ServerRequest&, ServerReply reply) {
    if ((*count)++ == 0) {
      reply.status = 429;
      reply.headers = {{"Retry-After", "1"}};
    }
    return std::optional(reply);
  });
  expectOk(fetch({kTiny}));
}

TEST_F(FetchCliTest, AFileSystemThatIsFullIsSaidAndWhatArrivedGoesOn) {
  serve();
  ProgramOptions small = hubOptions();
  small.inChild = [before = small.inChild] {
    before();
    const rlimit limit{1'000'000, 1'000'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  expectError(cli({"fetch", kTiny}, small), 5, {"incomplete", "ulimit -f"});
  EXPECT_EQ(fs::file_size(partial()), 1'000'000u);
  expectOk(fetch({kTiny}));
  EXPECT_EQ(m_hub->reads(kFile).back().header("range"), "bytes=1000000-");
}

TEST_F(FetchCliTest, CtrlCKeepsWhatArrived) {
  auto count = std::make_shared<std::atomic<int>>(0);
  serve([count](const ServerRequest& request, ServerReply reply) {
    if (request.method == "GET" && request.path.ends_with(kFile) && (*count)++ == 0) {
      reply.chunk = 50'000;
      reply.pauseMs = 100;
    }
    return std::optional(reply);
  });
  Program program(HEADLIGHT_CLI, {"fetch", kTiny}, hubOptions());
  while (!fs::exists(partial()) || fs::file_size(partial()) < 200'000)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  program.send(SIGINT);
  const Outcome stopped = program.finish();
  EXPECT_EQ(stopped.exitCode, 130) << stopped.err;
  const std::string kept = readBytes(partial());
  EXPECT_EQ(kept, m_hub->bytes(kFile).substr(0, kept.size()));
  expectOk(fetch({kTiny}));
  EXPECT_EQ(m_hub->reads(kFile).back().header("range"),
            "bytes=" + std::to_string(kept.size()) + "-");
}

}  // namespace
}  // namespace headlight::testing
