// SPDX-License-Identifier: GPL-3.0-or-later

// Redirections, refusals, tokens, and what the environment says of them.

#include <cstdlib>
#include <set>

#include "core/workbench/hub/Redirection.h"
#include "tests/workbench/FetchFixture.h"

namespace headlight::testing {
namespace {

HubServer::Meddle always(int status,
                         std::vector<std::pair<std::string, std::string>> headers = {}) {
  return [status, headers](const ServerRequest&, ServerReply reply) {
    reply.status = status;
    reply.headers = headers;
    reply.body = "no";
    return std::optional(reply);
  };
}

HubServer::Meddle sendsOn(const std::function<std::string()>& to) {
  return [to](const ServerRequest& request, ServerReply reply) {
    if (request.method != "GET" || request.path.find(kWeights) == std::string::npos)
      return std::optional(reply);
    reply.status = 302;
    reply.body = "";
    reply.headers = {{"Location", to()}};
    return std::optional(reply);
  };
}

// --- Redirections ------------------------------------------------------------------------------

TEST_F(FetchTest, AnotherServerGetsNoToken) {
  const LoopbackServer store([this](const ServerRequest& request) {
    return HubServer::part(request, m_hub->bytes(kWeights));
  });
  serve(sendsOn([&] { return store.address() + "/store?signed=1"; }));
  m_options.token = "hf_secret";
  expectWhole(fetch());
  for (const auto& request : m_hub->requests())
    EXPECT_EQ(request.header("authorization"), "Bearer hf_secret") << request.path;
  ASSERT_EQ(store.requests().size(), 1u);
  EXPECT_EQ(store.requests().front().path, "/store?signed=1");
  EXPECT_EQ(store.requests().front().headers.count("authorization"), 0u);
}

TEST_F(FetchTest, TheSameServerGetsIt) {
  serve([this](const ServerRequest& request, ServerReply reply) {
    if (request.path == "/moved")
      return std::optional(HubServer::part(request, m_hub->bytes(kWeights)));
    return sendsOn([] { return "/moved"; })(request, reply);
  });
  m_options.token = "hf_secret";
  expectWhole(fetch());
  EXPECT_EQ(m_hub->requests().back().path, "/moved");
  EXPECT_EQ(m_hub->requests().back().header("authorization"), "Bearer hf_secret");
}

/// The hub names hash and commit where it sends on to its store, which knows neither.
TEST_F(FetchTest, WhatTheHubSaysCountsNotItsStore) {
  serve([](const ServerRequest& request, ServerReply reply) {
    if (request.method == "HEAD" && request.path.ends_with(kWeights)) {
      reply.status = 302;
      reply.headers.emplace_back("Location", "http://127.0.0.1:1/unreachable");
    }
    return std::optional(reply);
  });
  expectWhole(fetch());
}

TEST_F(FetchTest, CirclesAreLeft) {
  serve(sendsOn([] { return "?again"; }));
  expectProblem(fetch(), ErrorCode::InvalidFile, {"redirects in a circle"});
  int turn = 0;
  serve(sendsOn([&] { return "/" + std::to_string(++turn) + "/" + kWeights; }));
  expectProblem(fetch(), ErrorCode::InvalidFile, {"redirects in a circle"});
  EXPECT_LE(turn, 12);
}

TEST_F(FetchTest, OtherKindsOfAddressAreNotFollowed) {
  for (const char* to : {"file:///etc/passwd", "ftp://127.0.0.1/x", ""}) {
    serve(sendsOn([to] { return to; }));
    const auto fetched = fetch();
    ASSERT_FALSE(fetched) << to;
    EXPECT_EQ(fetched.error().code, ErrorCode::InvalidFile) << fetched.error().text();
  }
}

TEST(FetchRedirection, EncryptionIsNotGivenUp) {
  if (!canFetch()) GTEST_SKIP() << "built without libcurl";
  const auto from = [](const std::string& url, const std::string& to) {
    WebQuestion question;
    question.url = url;
    question.token = "hf_secret";
    std::set<std::string> seen{url};
    redirect(question, {302, {{"location", to}}}, seen);
    return question;
  };
  EXPECT_EQ(from("https://hub.co/a/b", "c").url, "https://hub.co/a/c");
  EXPECT_EQ(from("https://hub.co/a", "/b?x=1").token, "hf_secret");
  EXPECT_EQ(from("https://hub.co/a", "https://hub.co:443/b").token, "hf_secret");
  EXPECT_EQ(from("https://hub.co/a", "https://hub.co:8443/b").token, "");
  EXPECT_EQ(from("https://hub.co/a", "https://cdn.hub.co/b").token, "");
  EXPECT_EQ(from("https://hub.co/a", "//other.co/b").token, "");
  EXPECT_EQ(from("https://hub.co/a", "https://hub.co@other.co/b").token, "");
  EXPECT_EQ(from("http://hub.co/a", "https://hub.co/a").token, "");
  for (const char* to : {"http://hub.co/a", "http://other.co/b", "HTTP://hub.co/b", "file:///a"})
    EXPECT_THROW(from("https://hub.co/a", to), Failure) << to;
}

// --- Refusals ----------------------------------------------------------------------------------

TEST_F(FetchTest, AGatedModelSaysWhatToDo) {
  for (const int status : {401, 403}) {
    serve(always(status,
                 {{"X-Error-Code", "GatedRepo"}, {"X-Error-Message", "Access \x1b[31mdenied"}}));
    expectProblem(
        fetch(), ErrorCode::Io,
        {"license", m_options.endpoint + "/timm/vit_tiny", "HF_TOKEN", "Access ?[31mdenied"});
    m_options.token = "hf_wrong";
    expectProblem(fetch(), ErrorCode::Io, {"owner of this token"});
    m_options.token.clear();
  }
}

TEST_F(FetchTest, MissingFilesNameSimilarOnes) {
  for (const auto& meddle : {always(404), always(401, {{"X-Error-Code", "RepoNotFound"}})}) {
    serve(meddle);
    const auto missing = valueOrThrow(weightsNamed("timm/vit_tiny_patch16_224.augreg_in21"));
    expectProblem(
        fetchModel(missing, m_options), ErrorCode::NotFound,
        {"timm/vit_tiny_patch16_224.augreg_in21", "did you mean vit_tiny_patch16_224.augreg"});
    EXPECT_FALSE(std::filesystem::exists(m_options.cache));
  }
}

TEST_F(FetchTest, ABusyServerIsAskedAgain) {
  for (const int status : {429, 500, 503}) {
    auto count = std::make_shared<std::atomic<int>>(0);
    serve([&, count](const ServerRequest&, ServerReply reply) {
      if (++*count % 3) {
        reply.status = status;
        reply.headers.clear();
      }
      return std::optional(reply);
    });
    std::filesystem::remove_all(m_options.cache);
    expectWhole(fetch());
  }
}

TEST_F(FetchTest, AServerThatStaysBusyIsGivenUp) {
  for (const int status : {429, 500}) {
    serve(always(status));
    m_options.retries = 2;
    expectProblem(fetch(), ErrorCode::Io, {std::to_string(status), "try again later"});
    EXPECT_EQ(m_hub->requests().size(), 3u);
  }
}

TEST_F(FetchTest, NobodyThereIsSaidAtOnce) {
  serve();
  m_options.endpoint = "http://127.0.0.1:1";
  m_options.retrySeconds = 100;
  expectProblem(fetch(), ErrorCode::Io, {"no connection", "127.0.0.1", "HF_ENDPOINT"});
  m_options.endpoint = "https://127.0.0.1:" + std::to_string(m_hub->port());  // it speaks no TLS
  expectProblem(fetch(), ErrorCode::Io, {"cannot be trusted", "SSL_CERT_FILE"});
  m_options.endpoint = "gopher://127.0.0.1";
  expectProblem(fetch(), ErrorCode::InvalidArgument, {"HF_ENDPOINT"});
}

TEST_F(FetchTest, AProxyIsAsked) {
  serve();
  m_options.endpoint = "http://hub.invalid";
  ::setenv("http_proxy", m_hub->address().c_str(), 1);
  const auto fetched = fetch();
  ::setenv("no_proxy", "hub.invalid", 1);
  const auto without = fetchModel(valueOrThrow(weightsNamed("timm/other")), m_options);
  ::unsetenv("http_proxy");
  ::unsetenv("no_proxy");
  expectWhole(fetched);
  EXPECT_TRUE(m_hub->requests().front().path.starts_with("http://hub.invalid/timm/"));
  expectProblem(without, ErrorCode::Io, {"cannot be resolved"});
}

TEST_F(FetchTest, CachedFilesWorkWithoutTheHub) {
  serve();
  expectWhole(fetch());
  m_options.endpoint = "http://127.0.0.1:1";
  const auto fetched = fetch();
  expectWhole(fetched);
  EXPECT_NE(fetched->note.find("no connection"), std::string::npos) << fetched->note;
}

TEST_F(FetchTest, OfflineNobodyIsAsked) {
  serve();
  m_options.offline = true;
  expectProblem(fetch(), ErrorCode::Io, {"HF_HUB_OFFLINE", "does not connect"});
  EXPECT_TRUE(m_hub->requests().empty());
}

TEST_F(FetchTest, ATokenOfSeveralLinesIsRefused) {
  serve();
  m_options.token = "hf_a\r\nHost: elsewhere";
  expectProblem(fetch(), ErrorCode::InvalidArgument, {"HF_TOKEN"});
  EXPECT_TRUE(m_hub->requests().empty());
}

TEST(FetchWithoutLibcurl, ItSaysWhatElseToDo) {
  if (canFetch()) GTEST_SKIP() << "made with libcurl";
  const auto fetched = fetchModel(valueOrThrow(weightsNamed("deit_tiny_patch16_224")), {});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::Io);
  for (const char* words : {"libcurl", "huggingface_hub", "timm/deit_tiny_patch16_224.fb_in1k"})
    EXPECT_NE(fetched.error().text().find(words), std::string::npos) << fetched.error().text();
}

// --- The environment ---------------------------------------------------------------------------

class FetchEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      m_before.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      ::unsetenv(name);
    }
    ::setenv("HOME", "/home/of", 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : m_before)
      value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  static constexpr const char* kNames[] = {"HOME",
                                           "HF_HOME",
                                           "HF_HUB_CACHE",
                                           "HUGGINGFACE_HUB_CACHE",
                                           "XDG_CACHE_HOME",
                                           "HF_TOKEN",
                                           "HF_TOKEN_PATH",
                                           "HF_HUB_OFFLINE",
                                           "HUGGING_FACE_HUB_TOKEN",
                                           "TRANSFORMERS_OFFLINE",
                                           "HF_ENDPOINT"};
  std::vector<std::pair<const char*, std::optional<std::string>>> m_before;
};

TEST_F(FetchEnvironment, TheCacheIsWhereTheHubsProgramsHaveIt) {
  const auto cache = [] { return fetchOptionsOfEnvironment().cache.string(); };
  EXPECT_EQ(cache(), "/home/of/.cache/huggingface/hub");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cache(), "/cache/huggingface/hub");
  ::setenv("HF_HOME", "~/hf", 1);
  EXPECT_EQ(cache(), "/home/of/hf/hub");
  ::setenv("HF_HUB_CACHE", "/models", 1);
  EXPECT_EQ(cache(), "/models");
}

TEST_F(FetchEnvironment, EndpointAndSwitches) {
  EXPECT_EQ(fetchOptionsOfEnvironment().endpoint, "https://huggingface.co");
  EXPECT_FALSE(fetchOptionsOfEnvironment().offline);
  ::setenv("HF_ENDPOINT", "https://mirror.example/", 1);
  EXPECT_EQ(fetchOptionsOfEnvironment().endpoint, "https://mirror.example");
  for (const auto& [text, on] :
       {std::pair("1", true), {"yes", true}, {"True", true}, {"0", false}}) {
    ::setenv("HF_HUB_OFFLINE", text, 1);
    EXPECT_EQ(fetchOptionsOfEnvironment().offline, on) << text;
  }
}

TEST_F(FetchEnvironment, TheTokenIsTheVariablesOrTheFiles) {
  const TemporaryFolder folder;
  std::ofstream(folder / "token") << "hf_file\n";
  EXPECT_EQ(fetchOptionsOfEnvironment().token, "");
  ::setenv("HF_HOME", folder.path().c_str(), 1);
  EXPECT_EQ(fetchOptionsOfEnvironment().token, "hf_file");
  ::setenv("HF_TOKEN", " hf_variable\n", 1);
  EXPECT_EQ(fetchOptionsOfEnvironment().token, "hf_variable");
  ::unsetenv("HF_TOKEN");
  ::setenv("HF_HOME", "/nowhere", 1);
  ::setenv("HF_TOKEN_PATH", (folder / "token").c_str(), 1);
  EXPECT_EQ(fetchOptionsOfEnvironment().token, "hf_file");
}

}  // namespace
}  // namespace headlight::testing
