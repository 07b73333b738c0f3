// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A fetch from a hub of this machine into a cache of its own.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/workbench/hub/ModelFetch.h"
#include "tests/HubServer.h"

namespace headlight::testing {

inline constexpr const char* kWeights = "model.safetensors";

inline std::string bytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FetchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!canFetch()) GTEST_SKIP() << "built without libcurl";
    for (const char* proxy : {"http_proxy", "all_proxy", "ALL_PROXY"})
      ::unsetenv(proxy);  // this machine is asked, not another
  }
  void serve(HubServer::Meddle meddle = {}, const HubContent& content = tinyVitContent()) {
    m_hub = std::make_unique<HubServer>(content, std::move(meddle));
    m_options.endpoint = m_hub->address();
    m_options.cache = m_folder / "hub";
    m_options.retrySeconds = 0.01;
    m_options.idleSeconds = 5;
  }
  static PublishedWeights weights() {
    return valueOrThrow(weightsNamed("vit_tiny_patch16_224.augreg_in21k"));
  }
  Result<FetchedModel> fetch(const FetchCallback& reported = {}, std::stop_token stop = {}) const {
    return fetchModel(weights(), m_options, reported, stop);
  }
  std::filesystem::path repository() const {
    return m_options.cache / "models--timm--vit_tiny_patch16_224.augreg_in21k";
  }
  std::filesystem::path blob(const std::string& name = kWeights) const {
    return repository() / "blobs" / m_hub->etag(name);
  }
  std::filesystem::path partial() const { return blob().string() + ".incomplete"; }
  void leavePartial(const std::string& bytes) const {
    std::filesystem::create_directories(partial().parent_path());
    std::ofstream(partial(), std::ios::binary) << bytes;
  }
  void expectWhole(const Result<FetchedModel>& fetched) const {
    ASSERT_TRUE(fetched) << fetched.error().text();
    EXPECT_EQ(bytesOf(fetched->file), m_hub->bytes(kWeights));
    EXPECT_EQ(bytesOf(fetched->folder / "config.json"), m_hub->bytes("config.json"));
    EXPECT_FALSE(std::filesystem::exists(partial()));
  }
  static void expectProblem(const Result<FetchedModel>& fetched, ErrorCode code,
                            const std::vector<std::string>& words) {
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, code) << fetched.error().text();
    for (const auto& word : words)
      EXPECT_NE(fetched.error().text().find(word), std::string::npos)
          << fetched.error().text() << " lacks " << word;
  }

  TemporaryFolder m_folder;
  std::unique_ptr<HubServer> m_hub;
  FetchOptions m_options;
};

/// Answers in the hub's place where the weights' bytes are asked for; `nth` counts from 0.
inline HubServer::Meddle onBytes(std::function<ServerReply(int nth, ServerReply)> change) {
  auto count = std::make_shared<std::atomic<int>>(0);
  return [count, change](const ServerRequest& request, ServerReply reply) {
    if (request.method != "GET" || !request.path.ends_with(kWeights))
      return std::optional<ServerReply>(reply);
    return std::optional<ServerReply>(change((*count)++, reply));
  };
}

}  // namespace headlight::testing
