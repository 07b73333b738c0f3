// SPDX-License-Identifier: GPL-3.0-or-later

// Fetching into a cache that others have made, copied, cut or damaged: what is whole stays, what is
// not is replaced once its successor is whole, and success means that the files open.

#include <sys/stat.h>

#include "core/workbench/hub/HubFolder.h"
#include "tests/workbench/FetchFixture.h"

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

class FetchCacheTest : public FetchTest {
 protected:
  fs::path snapshot() const { return repository() / "snapshots" / kHubCommit; }
  fs::path file(const std::string& name = kWeights) const { return snapshot() / name; }
  static void writeFile(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// As `cp -rL` leaves a cache: snapshots and refs, without blobs.
  void leaveCopy() const {
    for (const std::string name : {"config.json", kWeights})
      writeFile(file(name), m_hub->bytes(name));
    writeFile(repository() / "refs" / "main", kHubCommit);
  }
  /// As huggingface_hub leaves it.
  void leaveLinks() const {
    leaveCopy();
    for (const std::string name : {"config.json", kWeights}) {
      fs::create_directories(repository() / "blobs");
      fs::rename(file(name), blob(name));
      fs::create_symlink(fs::path("../../blobs") / m_hub->etag(name), file(name));
    }
  }
  void expectNothingDownloaded(const Result<FetchedModel>& fetched) const {
    expectWhole(fetched);
    EXPECT_EQ(fetched->downloadedBytes, 0);
    EXPECT_TRUE(m_hub->reads(kWeights).empty());
    EXPECT_TRUE(m_hub->reads("config.json").empty());
  }
  void expectFetchedAnew() const {
    EXPECT_FALSE(fetchedAlready(weights(), m_options));
    const auto fetched = fetch();
    expectWhole(fetched);
    EXPECT_EQ(fetched->downloadedBytes, 3'000'000);
    EXPECT_EQ(fs::read_symlink(file()), fs::path("../../blobs") / m_hub->etag(kWeights));
    EXPECT_TRUE(findHubFolder(repository()));
  }
};

TEST_F(FetchCacheTest, ACopyWithItsLinksFollowedStaysAsItIs) {
  serve();
  leaveCopy();
  expectNothingDownloaded(fetch());
  for (const char* name : {"config.json", kWeights})
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file(name)))) << name;
  EXPECT_FALSE(fs::exists(repository() / "blobs")) << "nothing had to be written";
  EXPECT_FALSE(fs::exists(m_options.cache / ".locks"));
  EXPECT_TRUE(findHubFolder(repository()));
}

TEST_F(FetchCacheTest, ACopyOfOneFileStaysBesideADownload) {
  serve();
  leaveCopy();
  fs::remove(file());
  expectFetchedAnew();
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file("config.json"))));
  EXPECT_TRUE(m_hub->reads("config.json").empty());
}

TEST_F(FetchCacheTest, ACopyThatWasCutIsFetched) {
  serve();
  leaveCopy();
  fs::resize_file(file(), 1'000'000);
  expectFetchedAnew();
}

TEST_F(FetchCacheTest, ACopyOfOtherBytesIsFoundByItsHash) {
  serve();
  leaveCopy();
  std::string bytes = m_hub->bytes(kWeights);
  bytes[2'000'000] ^= 1;
  writeFile(file(), bytes);
  const auto fetched = fetch();
  expectWhole(fetched);
  EXPECT_EQ(fetched->downloadedBytes, 3'000'000);
}

TEST_F(FetchCacheTest, ALinkThatLeadsNowhereIsReplaced) {
  serve();
  leaveLinks();
  fs::remove(blob());
  expectFetchedAnew();
}

TEST_F(FetchCacheTest, ABlobOfAnotherSizeIsReplaced) {
  serve();
  leaveLinks();
  fs::resize_file(blob(), 2'000'000);
  expectFetchedAnew();
}

TEST_F(FetchCacheTest, ABlobOfAnotherHashIsReplacedThoughItIsReadOnly) {
  serve();
  leaveLinks();
  std::string bytes = m_hub->bytes(kWeights);
  bytes.back() ^= 1;
  writeFile(blob(), bytes);
  fs::permissions(blob(), fs::perms::owner_read);
  const auto fetched = fetch();
  expectWhole(fetched);
  EXPECT_EQ(fetched->downloadedBytes, 3'000'000);
}

TEST_F(FetchCacheTest, ABlobWithoutItsLinkIsLinked) {
  serve();
  leaveLinks();
  fs::remove(file());
  expectNothingDownloaded(fetch());
  EXPECT_EQ(fs::read_symlink(file()), fs::path("../../blobs") / m_hub->etag(kWeights));
}

TEST_F(FetchCacheTest, ALinkToABlobElsewhereStays) {
  serve();
  leaveCopy();
  fs::create_directories(m_folder / "elsewhere");
  fs::rename(file(), m_folder / "elsewhere/weights");
  fs::create_symlink(m_folder / "elsewhere/weights", file());
  expectNothingDownloaded(fetch());
  EXPECT_EQ(fs::read_symlink(file()), m_folder / "elsewhere/weights");
}

TEST_F(FetchCacheTest, ASnapshotThatLiesElsewhereGetsLinksThatLead) {
  serve();
  fs::create_directories(m_folder / "far/away/deep");
  fs::create_directories(repository() / "snapshots");
  fs::create_directory_symlink(m_folder / "far/away/deep", snapshot());
  expectWhole(fetch());
  EXPECT_TRUE(fs::read_symlink(file()).is_absolute());
}

TEST_F(FetchCacheTest, AMissingRefIsWrittenAndDoesNotHideTheOnlySnapshot) {
  serve();
  leaveCopy();
  fs::remove_all(repository() / "refs");
  const auto here = fetchedAlready(weights(), m_options);
  ASSERT_TRUE(here);
  EXPECT_EQ(here->folder, snapshot());
  expectNothingDownloaded(fetch());
  EXPECT_EQ(bytesOf(repository() / "refs" / "main"), kHubCommit);
  fs::remove_all(repository() / "refs");
  fs::create_directories(repository() / "snapshots/0123");
  EXPECT_FALSE(fetchedAlready(weights(), m_options)) << "which of two is not known";
}

TEST_F(FetchCacheTest, CachedFilesDoNotHideLocalProblems) {
  serve();
  leaveCopy();
  std::string bytes = m_hub->bytes(kWeights);
  bytes.back() ^= 1;  // its header reads
  writeFile(file(), bytes);
  writeFile(repository() / "blobs", "a file where the folder should be");
  expectProblem(fetch(), ErrorCode::Io, {"blobs"});
  EXPECT_EQ(bytesOf(file()), bytes) << "there is nothing better yet";
}

TEST_F(FetchCacheTest, DamagedCachedFilesFailWithoutTheHub) {
  serve();
  leaveCopy();
  fs::resize_file(file(), 2'999'999);
  m_options.offline = true;
  expectProblem(fetch(), ErrorCode::Io, {"HF_HUB_OFFLINE"});
  writeFile(file(), m_hub->bytes(kWeights));
  EXPECT_TRUE(fetch());
}

TEST_F(FetchCacheTest, WeightsThatAreNoCheckpointAreNoSuccess) {
  HubContent content = tinyVitContent();
  content.files[kWeights] = "<html>sign in first</html>";
  serve({}, content);
  for (int time = 0; time < 2; ++time)
    expectProblem(fetch(), ErrorCode::UnsupportedFile,
                  {"was downloaded correctly", "neither a safetensors file", kWeights});
  EXPECT_FALSE(fetchedAlready(weights(), m_options));
}

TEST_F(FetchCacheTest, AFolderOrAPipeInTheFilesPlaceIsSaid) {
  serve();
  fs::create_directories(file() / "within");
  expectProblem(fetch(), ErrorCode::Io, {kWeights, "put in its place"});
  fs::remove_all(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  expectWhole(fetch());
}

}  // namespace
}  // namespace headlight::testing
