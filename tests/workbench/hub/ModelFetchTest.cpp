// SPDX-License-Identifier: GPL-3.0-or-later

// Fetching from a hub that behaves, is slow, breaks off, lies or sends us elsewhere.

#include <chrono>
#include <set>
#include <thread>

#include "tests/workbench/FetchFixture.h"

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::set<std::string> entriesBelow(const fs::path& folder) {
  std::set<std::string> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    entries.insert(entry.path().lexically_relative(folder).string());
  return entries;
}

// --- The layout --------------------------------------------------------------------------------

/// As huggingface_hub leaves its cache: golden/hf_home has the same snapshot with its links
/// followed.
TEST_F(FetchTest, TheCacheIsTheHubsOwn) {
  serve();
  const auto fetched = fetch();
  expectWhole(fetched);
  const std::string commit = kHubCommit;
  EXPECT_EQ(bytesOf(repository() / "refs" / "main"), commit);
  const std::set<std::string> expected{"refs",
                                       "refs/main",
                                       "blobs",
                                       "blobs/" + m_hub->etag("config.json"),
                                       "blobs/" + m_hub->etag(kWeights),
                                       "snapshots",
                                       "snapshots/" + commit,
                                       "snapshots/" + commit + "/config.json",
                                       "snapshots/" + commit + "/model.safetensors"};
  EXPECT_EQ(entriesBelow(repository()), expected);
  EXPECT_EQ(fs::read_symlink(fetched->file), fs::path("../../blobs") / m_hub->etag(kWeights));
  EXPECT_EQ(fs::read_symlink(fetched->folder / "config.json"),
            fs::path("../../blobs") / m_hub->etag("config.json"));
  EXPECT_EQ(fetched->folder, repository() / "snapshots" / commit);
  EXPECT_EQ(fetched->architecture, "vit_tiny_patch16_224");
  EXPECT_EQ(fetched->note, "");
  EXPECT_EQ(fetched->downloadedBytes, fetched->bytes);
  const std::string lock = m_hub->etag(kWeights) + ".lock";
  EXPECT_TRUE(fs::exists(m_options.cache / ".locks" / repository().filename() / lock));
}

/// The entry that timm's own code wrote, fetched: the same paths below refs and snapshots, with the
/// same bytes.
TEST_F(FetchTest, TheGoldenEntryComesOutTheSame) {
  const std::string name = "vit_small_patch14_reg4_dinov2.micro";
  const fs::path golden =
      fs::path(HEADLIGHT_GOLDEN_DIR) / "hf_home/hub" / ("models--timm--" + name);
  HubContent content;
  content.repository = "timm/" + name;
  for (const char* file : {"config.json", kWeights})
    content.files[file] = bytesOf(golden / "snapshots" / kHubCommit / file);
  serve({}, content);
  const auto fetched = fetchModel(valueOrThrow(weightsNamed("timm/" + name)), m_options);
  ASSERT_TRUE(fetched) << fetched.error().text();
  const fs::path ours = m_options.cache / golden.filename();
  for (const char* part : {"refs", "snapshots"}) {
    EXPECT_EQ(entriesBelow(ours / part), entriesBelow(golden / part));
    for (const auto& entry : entriesBelow(golden / part))
      if (fs::is_regular_file(golden / part / entry)) {
        EXPECT_EQ(bytesOf(ours / part / entry), bytesOf(golden / part / entry)) << entry;
      }
  }
}

TEST_F(FetchTest, CachedFilesAreNotFetchedAgain) {
  serve();
  EXPECT_FALSE(fetchedAlready(weights(), m_options));
  expectWhole(fetch());
  const auto again = fetch();
  expectWhole(again);
  EXPECT_EQ(again->downloadedBytes, 0);
  EXPECT_EQ(m_hub->reads(kWeights).size(), 1u);
  const auto here = fetchedAlready(weights(), m_options);
  ASSERT_TRUE(here);
  EXPECT_EQ(here->folder, again->folder);
  EXPECT_EQ(here->bytes, again->bytes);
}

TEST_F(FetchTest, AnEntryThatLostItsBytesIsNotHere) {
  serve();
  expectWhole(fetch());
  fs::remove(blob());
  EXPECT_FALSE(fetchedAlready(weights(), m_options));
  expectWhole(fetch());
}

TEST_F(FetchTest, WithoutSafetensorsItTakesTheOlderFile) {
  HubContent content = tinyVitContent();
  content.files["pytorch_model.bin"] = content.files[kWeights];
  content.files.erase(kWeights);
  serve({}, content);
  const auto fetched = fetch();
  ASSERT_TRUE(fetched) << fetched.error().text();
  EXPECT_EQ(fetched->file.filename(), "pytorch_model.bin");
  EXPECT_EQ(bytesOf(fetched->file), m_hub->bytes("pytorch_model.bin"));
}

// --- Slow, broken off, resumed -----------------------------------------------------------------

TEST_F(FetchTest, WhatBreaksOffGoesOn) {
  serve(onBytes([](int nth, ServerReply reply) {
    if (nth < 3) reply.cutAfter = 700'000;
    return reply;
  }));
  expectWhole(fetch());
  const auto reads = m_hub->reads(kWeights);
  ASSERT_EQ(reads.size(), 4u);
  EXPECT_EQ(reads[0].header("range"), "");
  EXPECT_EQ(reads[1].header("range"), "bytes=700000-");
  EXPECT_EQ(reads[3].header("range"), "bytes=2100000-");
}

TEST_F(FetchTest, APartOfAnotherProgramGoesOn) {
  serve();
  leavePartial(m_hub->bytes(kWeights).substr(0, 1'234'567));
  const auto fetched = fetch();
  expectWhole(fetched);
  EXPECT_EQ(m_hub->reads(kWeights).front().header("range"), "bytes=1234567-");
  EXPECT_EQ(fetched->downloadedBytes,
            3'000'000 - 1'234'567 + static_cast<std::int64_t>(m_hub->bytes("config.json").size()));
}

TEST_F(FetchTest, APartThatIsWholeOnlyGetsItsName) {
  serve();
  leavePartial(m_hub->bytes(kWeights));
  expectWhole(fetch());
  EXPECT_TRUE(m_hub->reads(kWeights).empty());
}

TEST_F(FetchTest, APartThatIsTooLongBeginsAnew) {
  serve();
  leavePartial(m_hub->bytes(kWeights) + "more");
  expectWhole(fetch());
  EXPECT_EQ(m_hub->reads(kWeights).front().header("range"), "");
}

TEST_F(FetchTest, AServerWithoutRangesBeginsAnew) {
  serve(onBytes([this](int, ServerReply) {
    ServerReply whole;
    whole.body = m_hub->bytes(kWeights);
    return whole;
  }));
  leavePartial("these bytes are of something else");
  expectWhole(fetch());
}

TEST_F(FetchTest, AServerThatNeverEndsItsAnswersIsGivenUp) {
  serve(onBytes([](int, ServerReply reply) {
    reply.cutAfter = 0;
    return reply;
  }));
  m_options.retries = 2;
  expectProblem(fetch(), ErrorCode::Io, {"the connection broke", "try again"});
  EXPECT_EQ(m_hub->reads(kWeights).size(), 3u);
}

TEST_F(FetchTest, ASilentServerIsGivenUp) {
  serve(onBytes([](int, ServerReply reply) {
    reply.chunk = 1000;
    reply.pauseMs = 60'000;
    return reply;
  }));
  m_options.idleSeconds = 1;
  m_options.retries = 0;
  const auto began = std::chrono::steady_clock::now();
  expectProblem(fetch(), ErrorCode::Io, {"did not respond in time"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
  EXPECT_EQ(bytesOf(partial()), m_hub->bytes(kWeights).substr(0, 1000));
}

TEST_F(FetchTest, ItIsCanceledAtOnceAndGoesOnLater) {
  serve(onBytes([](int nth, ServerReply reply) {
    if (nth == 0) {
      reply.chunk = 100'000;
      reply.pauseMs = 50;
    }
    return reply;
  }));
  std::stop_source stop;
  std::chrono::steady_clock::time_point asked;
  const auto fetched = fetch(
      [&](const FetchProgress& progress) {
        if (progress.progress.done < 500'000 || stop.stop_requested()) return;
        asked = std::chrono::steady_clock::now();
        stop.request_stop();
      },
      stop.get_token());
  expectProblem(fetched, ErrorCode::Canceled, {});
  EXPECT_LT(std::chrono::steady_clock::now() - asked, 500ms);
  const std::string kept = bytesOf(partial());
  EXPECT_GE(kept.size(), 400'000u);
  EXPECT_EQ(kept, m_hub->bytes(kWeights).substr(0, kept.size()));
  expectWhole(fetch());
  EXPECT_EQ(m_hub->reads(kWeights).back().header("range"),
            "bytes=" + std::to_string(kept.size()) + "-");
}

TEST_F(FetchTest, ProgressSaysHowMuchHowFastAndHowLong) {
  serve(onBytes([](int, ServerReply reply) {
    reply.chunk = 100'000;
    reply.pauseMs = 50;
    return reply;
  }));
  std::int64_t before = 0;
  bool rated = false;
  const auto fetched = fetch([&](const FetchProgress& reported) {
    EXPECT_GE(reported.progress.done, before);
    before = reported.progress.done;
    if (reported.bytesPerSecond <= 0) return;
    rated = true;
    EXPECT_LT(reported.bytesPerSecond, 4e6);  // at most 100 kB in 50 ms, and its beginning
    EXPECT_GE(reported.progress.secondsRemaining, 0);
    EXPECT_NE(fetchText(reported).find("MB/s"), std::string::npos) << fetchText(reported);
  });
  expectWhole(fetched);
  EXPECT_TRUE(rated);
  EXPECT_EQ(before, fetched->bytes);
}

TEST_F(FetchTest, TwoAtATimeFetchItOnce) {
  serve(onBytes([](int, ServerReply reply) {
    reply.chunk = 100'000;
    reply.pauseMs = 20;
    return reply;
  }));
  Result<FetchedModel> other = Error{};
  std::atomic<bool> waited{false};
  {
    std::jthread second([&] {
      other = fetch([&](const FetchProgress& reported) {
        if (reported.progress.stage.find("another program") != std::string::npos) waited = true;
      });
    });
    expectWhole(fetch([&](const FetchProgress& reported) {
      if (reported.progress.stage.find("another program") != std::string::npos) waited = true;
    }));
  }
  expectWhole(other);
  EXPECT_TRUE(waited);
  EXPECT_EQ(m_hub->reads(kWeights).size(), 1u);
}

// --- Lies --------------------------------------------------------------------------------------

TEST_F(FetchTest, AnotherHashIsRefusedAndDeleted) {
  serve(onBytes([](int, ServerReply reply) {
    reply.body[1'000'000] ^= 1;
    return reply;
  }));
  expectProblem(fetch(), ErrorCode::InvalidFile,
                {"SHA-256", m_hub->etag(kWeights), "deleted", kWeights});
  EXPECT_FALSE(fs::exists(partial()));
  EXPECT_FALSE(fs::exists(blob()));
  EXPECT_FALSE(fetchedAlready(weights(), m_options));
}

TEST_F(FetchTest, APartOfSomethingElseIsFoundByItsHash) {
  serve();
  leavePartial(std::string(500'000, 'x'));
  expectProblem(fetch(), ErrorCode::InvalidFile, {"SHA-256", "deleted", "try again"});
  expectWhole(fetch());
}

TEST_F(FetchTest, AConfigOfAnotherHashIsRefused) {
  serve([](const ServerRequest& request, ServerReply reply) {
    if (request.method == "GET" && request.path.ends_with("config.json")) reply.body[2] = 'X';
    return std::optional(reply);
  });
  expectProblem(fetch(), ErrorCode::InvalidFile, {"hash", "config.json"});
}

TEST_F(FetchTest, AnotherLengthIsRefused) {
  for (const std::int64_t lie : {2'999'999, 3'000'001}) {
    serve(onBytes([lie](int, ServerReply reply) {
      reply.announced = lie;
      return reply;
    }));
    expectProblem(fetch(), ErrorCode::InvalidFile, {std::to_string(lie), "3000000"});
    EXPECT_FALSE(fs::exists(blob()));
  }
}

TEST_F(FetchTest, APartFromAnotherPlaceIsRefused) {
  serve(onBytes([](int, ServerReply reply) {
    for (auto& [name, value] : reply.headers)
      if (name == "Content-Range") value = "bytes 0-2499999/3000000";
    return reply;
  }));
  leavePartial(m_hub->bytes(kWeights).substr(0, 500'000));
  expectProblem(fetch(), ErrorCode::InvalidFile, {"the wrong part"});
}

/// They become names of files.
TEST_F(FetchTest, CommitsAndHashesThatAreNoneAreRefused) {
  for (const std::string lie : {"../../../../tmp/x", "main", ""})
    for (const std::string header : {"X-Repo-Commit", "ETag"}) {
      serve([&](const ServerRequest&, ServerReply reply) {
        for (auto& [name, value] : reply.headers)
          if (name == header) value = lie;
        return std::optional(reply);
      });
      expectProblem(fetch(), ErrorCode::InvalidFile, {"commit, hash and size"});
      EXPECT_FALSE(fs::exists(m_options.cache));
    }
}

TEST_F(FetchTest, ADiskThatIsTooSmallIsSaidBefore) {
  serve([](const ServerRequest&, ServerReply reply) {
    for (auto& [name, value] : reply.headers)
      if (name == "X-Linked-Size") value = "1000000000000000000";
    return std::optional(reply);
  });
  expectProblem(fetch(), ErrorCode::Io, {"GB on the disk", "HF_HUB_CACHE"});
  EXPECT_TRUE(m_hub->reads(kWeights).empty());
}

}  // namespace
}  // namespace headlight::testing
