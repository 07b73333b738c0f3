// SPDX-License-Identifier: GPL-3.0-or-later

// Kept features: read back, cut short, damaged, of another model, on a full disk, too many.

#include "core/workbench/adapt/FeatureStore.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

FeatureKey storeKey(const std::string& weights = "0123456789abcdef") {
  return {"deit_tiny", weights, "fedcba9876543210", "cpu", 1, 3};
}

std::string storeDigest(char digit) {
  return std::string(64, digit);
}

/// Three images, 'a' to 'c'.
void fillStore(FeatureStore& store) {
  for (int i = 0; i < 3; ++i) {
    const float base = static_cast<float>(i);
    const float values[3] = {base, base + 0.25f, -base};
    store.add(storeDigest(static_cast<char>('a' + i)), values);
  }
}

void expectFeatures(const FeatureStore& store, int count) {
  EXPECT_EQ(store.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const float* found = store.find(storeDigest(static_cast<char>('a' + i)));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found[1], static_cast<float>(i) + 0.25f);
  }
}

Error storeRefusal(const FeaturePlace& place, const FeatureKey& key) {
  try {
    const FeatureStore store(place, key);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {ErrorCode::Internal, "nothing was refused", ""};
}

TEST(FeatureStores, KeepWhatWasAdded) {
  const TemporaryFolder folder;
  const FeaturePlace place{{}, folder / "cache"};
  {
    FeatureStore store(place, storeKey());
    EXPECT_EQ(store.find(storeDigest('a')), nullptr);
    fillStore(store);
    expectFeatures(store, 3);
  }
  const FeatureStore again(place, storeKey());
  expectFeatures(again, 3);
  EXPECT_TRUE(again.notes().empty());
  EXPECT_EQ(FeatureStore(place, storeKey("1111111111111111")).size(), 0u);
}

TEST(FeatureStores, GoOnAfterARecordThatWasCutShort) {
  const TemporaryFolder folder;
  const FeaturePlace place{folder / "own.bin", {}};
  {
    FeatureStore store(place, storeKey());
    fillStore(store);
  }
  fs::resize_file(place.file, fs::file_size(place.file) - 5);
  {
    FeatureStore store(place, storeKey());
    expectFeatures(store, 2);
    fillStore(store);
  }
  expectFeatures(FeatureStore(place, storeKey()), 3);
}

TEST(FeatureStores, LeaveOutWhatIsDamaged) {
  const TemporaryFolder folder;
  const FeaturePlace place{folder / "own.bin", {}};
  {
    FeatureStore store(place, storeKey());
    fillStore(store);
  }
  const auto size = fs::file_size(place.file);
  {
    std::fstream file(place.file, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size) - 60);  // within the second record
    file.put('!');
  }
  FeatureStore store(place, storeKey());
  expectFeatures(store, 1);
  ASSERT_EQ(store.notes().size(), 1u);
  EXPECT_NE(store.notes()[0].find("damaged"), std::string::npos);
  fillStore(store);
  expectFeatures(FeatureStore(place, storeKey()), 3);
}

TEST(FeatureStores, RefuseAPersonsFileOfAnotherModel) {
  const TemporaryFolder folder;
  const FeaturePlace place{folder / "own.bin", {}};
  {
    FeatureStore store(place, storeKey());
    fillStore(store);
  }
  const Error model = storeRefusal(place, storeKey("1111111111111111"));
  EXPECT_EQ(model.code, ErrorCode::InvalidArgument);
  EXPECT_NE(model.message.find("another model, deit_tiny"), std::string::npos) << model.text();
  FeatureKey masked = storeKey();
  masked.masks = "0000000000000000";
  EXPECT_NE(storeRefusal(place, masked).message.find("other masks"), std::string::npos);
  expectFeatures(FeatureStore(place, storeKey()), 3);  // nothing was changed
}

TEST(FeatureStores, RefuseAPersonsFileOfSomethingElse) {
  const TemporaryFolder folder;
  std::ofstream(folder / "own.bin") << "a letter";
  EXPECT_EQ(storeRefusal({folder / "own.bin", {}}, storeKey()).code, ErrorCode::InvalidFile);
  std::ofstream(folder / "long.bin") << "HLFEATS1" << std::string(4, '\xff') << "and more";
  EXPECT_EQ(storeRefusal({folder / "long.bin", {}}, storeKey()).code, ErrorCode::InvalidFile);
}

TEST(FeatureStores, ReplaceADamagedFileOfTheCache) {
  const TemporaryFolder folder;
  std::ofstream(folder / featureFileName(storeKey())) << "nonsense";
  FeatureStore store({{}, folder.path()}, storeKey());
  EXPECT_EQ(store.size(), 0u);
  EXPECT_EQ(store.notes().size(), 1u);
  fillStore(store);
  expectFeatures(FeatureStore({{}, folder.path()}, storeKey()), 3);
}

TEST(FeatureStores, GoOnInMemoryWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  const FeaturePlace place{folder / "own.bin", {}};
  FeatureStore store(place, storeKey());
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit full = limit;
  full.rlim_cur = static_cast<rlim_t>(fs::file_size(place.file)) + 60;  // a record and a bit
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  fillStore(store);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  expectFeatures(store, 3);
  ASSERT_EQ(store.notes().size(), 1u);
  EXPECT_NE(store.notes()[0].find("no longer kept"), std::string::npos);
  expectFeatures(FeatureStore(place, storeKey()), 1);  // whole records alone
}

TEST(FeatureStores, KeepNothingWithoutAPlace) {
  FeatureStore store({}, storeKey());
  fillStore(store);
  expectFeatures(store, 3);
  EXPECT_TRUE(store.notes().empty());
}

TEST(FeatureStores, TheOldestFilesLeaveAFolderThatIsTooLarge) {
  const TemporaryFolder folder;
  const fs::path large = folder / "features-0000000000000000.bin", other = folder / "mine.bin";
  for (const fs::path& path : {large, other}) {
    std::ofstream(path) << 'x';
    fs::resize_file(path, FeatureStore::kMostFolderBytes + 1);  // with a hole: no disk is used
  }
  const FeatureStore store({{}, folder.path()}, storeKey());
  EXPECT_FALSE(fs::exists(large));
  EXPECT_TRUE(fs::exists(other));
}

TEST(FeatureStores, TwoProgramsDoNotWriteOneFile) {
  const TemporaryFolder folder;
  const FeaturePlace place{folder / "own.bin", {}};
  FeatureStore first(place, storeKey());
  fillStore(first);
  FeatureStore second(place, storeKey());
  expectFeatures(second, 3);
  ASSERT_EQ(second.notes().size(), 1u);
  const float values[3] = {9, 9, 9};
  second.add(storeDigest('d'), values);
  EXPECT_NE(second.find(storeDigest('d')), nullptr);
  const auto size = fs::file_size(place.file);
  first.add(storeDigest('e'), values);
  EXPECT_GT(fs::file_size(place.file), size);
}

}  // namespace
}  // namespace headlight
