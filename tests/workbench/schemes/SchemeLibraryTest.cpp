// SPDX-License-Identifier: GPL-3.0-or-later

// Schemes that are kept by name.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/schemes/SchemeLibrary.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class SchemeShelves : public ::testing::Test {
 protected:
  fs::path place() const { return m_folder.path() / "below" / "schemes"; }
  SchemeLibrary shelf() const { return SchemeLibrary(place()); }
  MaskScheme edited() const {
    MaskScheme scheme(3, 4, "sch2*");
    scheme.set(1, 2, {MaskKind::Soft, 5, 0.25});
    return scheme;
  }
  std::vector<std::string> names() const { return valueOrThrow(shelf().names()); }

  TemporaryFolder m_folder;
  MaskShape m_shape{std::vector<int>(3, 4)};
};

TEST_F(SchemeShelves, KeepAndGiveBack) {
  EXPECT_TRUE(names().empty());  // a folder that is not there
  ASSERT_TRUE(shelf().save("my scheme", describeMasks(edited())));
  ASSERT_TRUE(shelf().save("größe", describeMasks(*makeMaskPreset("sch2", m_shape, 5))));
  EXPECT_EQ(names(), (std::vector<std::string>{"größe", "my scheme"}));
  const auto back = shelf().load("my scheme", m_shape);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_TRUE(*back == edited());
  EXPECT_EQ(back->name(), "my scheme");
  // A preset stays one for models of any shape.
  const MaskShape larger(std::vector<int>(12, 6));
  EXPECT_TRUE(*shelf().load("größe", larger) == *makeMaskPreset("sch2", larger, 5));
  EXPECT_FALSE(shelf().load("my scheme", MaskShape({4, 4})));  // one layer too many
}

TEST_F(SchemeShelves, NothingIsLostUnasked) {
  const MaskConfig masks = describeMasks(edited()), other;
  ASSERT_TRUE(shelf().save("a", masks));
  ASSERT_TRUE(shelf().save("b", other));
  EXPECT_FALSE(shelf().save("a", other));
  EXPECT_FALSE(shelf().rename("a", "b"));
  EXPECT_EQ(shelf().rename("missing", "c").error().code, ErrorCode::NotFound);
  EXPECT_EQ(shelf().remove("missing").error().code, ErrorCode::NotFound);
  EXPECT_TRUE(*shelf().load("a", m_shape) == edited());
  ASSERT_TRUE(shelf().rename("a", "c"));
  EXPECT_EQ(names(), (std::vector<std::string>{"b", "c"}));
  ASSERT_TRUE(shelf().save("b", masks, SchemeLibrary::Existing::Replace));
  EXPECT_TRUE(*shelf().load("b", m_shape) == edited());
  ASSERT_TRUE(shelf().remove("b"));
  EXPECT_EQ(names(), std::vector<std::string>{"c"});
}

TEST_F(SchemeShelves, HostileNamesAreRefused) {
  const std::vector<std::string> hostile{"",
                                         ".",
                                         "..",
                                         ".hidden",
                                         "../above",
                                         "a/b",
                                         "/etc/passwd",
                                         "a\\b",
                                         "a\nb",
                                         std::string("a\0b", 3),
                                         "\x1b[31m",
                                         "\xff",
                                         "a\xe2\x80\xae"
                                         "b",  // turns the text around
                                         " a",
                                         "a ",
                                         "-a",
                                         "a.json",
                                         "sch2",
                                         "none",
                                         "sch2:5",
                                         "a@7",
                                         "sch2*",
                                         std::string(101, 'a')};
  ASSERT_TRUE(shelf().save("fine", {}));
  for (const std::string& name : hostile) {
    EXPECT_FALSE(checkSchemeName(name)) << name;
    EXPECT_FALSE(shelf().save(name, {})) << name;
    EXPECT_FALSE(shelf().rename("fine", name)) << name;
    EXPECT_FALSE(shelf().remove(name)) << name;
    EXPECT_FALSE(shelf().read(name)) << name;
  }
  EXPECT_EQ(names(), std::vector<std::string>{"fine"});
  EXPECT_TRUE(checkSchemeName(std::string(100, 'a')));
  EXPECT_TRUE(checkSchemeName("v1.5 of May"));
}

TEST_F(SchemeShelves, LinksAreNotFollowedAndDamageIsSaid) {
  ASSERT_TRUE(shelf().save("fine", {}));
  const fs::path outside = m_folder.path() / "outside.json";
  std::ofstream(outside) << "{\"masks\": {\"scheme\": \"sch1\"}}";
  fs::create_symlink(outside, place() / "link.json");
  std::ofstream(place() / "broken.json") << "{\"masks\": 5}";
  std::ofstream(place() / "notes.txt") << "no scheme";
  fs::create_directory(place() / "folder.json");
  EXPECT_EQ(names(), (std::vector<std::string>{"broken", "fine", "folder", "link"}));
  EXPECT_FALSE(shelf().read("link"));
  EXPECT_FALSE(shelf().read("folder"));
  const auto broken = shelf().read("broken");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().text().find("broken.json"), std::string::npos);
  EXPECT_FALSE(shelf().save("link", {}, SchemeLibrary::Existing::Replace));
  EXPECT_EQ(*readFile(outside, 100), "{\"masks\": {\"scheme\": \"sch1\"}}");
}

TEST_F(SchemeShelves, ANameIsAPresetThenKeptThenAFile) {
  ASSERT_TRUE(shelf().save("mine", describeMasks(edited())));
  EXPECT_TRUE(*masksNamed("mine", m_shape, shelf()) == edited());
  EXPECT_TRUE(*masksNamed("sch1", m_shape, shelf()) == *makeMaskPreset("sch1", m_shape));
  EXPECT_TRUE(*masksNamed("sch1:5", m_shape, shelf()) == *makeMaskPreset("sch1", m_shape, 5));
  const fs::path file = m_folder.path() / "mine";
  std::ofstream(file) << "{\"masks\": {\"scheme\": \"sch2\"}}";
  EXPECT_TRUE(*masksNamed(file.string(), m_shape, shelf()) == *makeMaskPreset("sch2", m_shape));
  const auto dealt = masksNamed("random-like:mine@3", m_shape, shelf());
  ASSERT_TRUE(dealt) << dealt.error().text();
  EXPECT_EQ(dealt->maskedHeads(), 1);
  EXPECT_EQ(dealt->name(), "random-like:mine@3");
  EXPECT_FALSE(masksNamed("missing", m_shape, shelf()));
  // As a config has it, too.
  EXPECT_TRUE(*resolveMasks(describeMasks(*dealt), m_shape) == *dealt);
  const auto named = masksNamed("random-like:sch2@5", m_shape, shelf());
  const MaskConfig described = describeMasks(*named);
  EXPECT_TRUE(described.cells.empty());
  EXPECT_EQ(described.scheme, "random-like:sch2@5");
  EXPECT_TRUE(*resolveMasks(described, m_shape) == *named);
}

TEST_F(SchemeShelves, MasksAreFoundInConfigsCheckpointsAndRuns) {
  Experiment experiment;
  experiment.model = shrunk(findPublishedModel("deit_tiny")->config);
  experiment.device = "cpu";
  experiment.masks.scheme = "sch1";
  const fs::path config = m_folder.path() / "config.json";
  ASSERT_TRUE(writeFileAtomically(config, experimentToJson(experiment).dump()));
  EXPECT_EQ(masksIn(config)->scheme, "sch1");
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  MaskScheme masks = *makeMaskPreset("sch1", makeMaskShape(experiment.model));
  masks.set(2, 2, {MaskKind::Strict, 3});
  // A run's folder: its last checkpoint counts, whatever it began with.
  EXPECT_EQ(masksIn(m_folder.path())->scheme, "sch1");
  ASSERT_TRUE(session->save(m_folder.path() / "last.safetensors", masks));
  const auto last = masksIn(m_folder.path());
  ASSERT_TRUE(last) << last.error().text();
  EXPECT_TRUE(*resolveMasks(*last, masks.shape()) == masks);
  EXPECT_EQ(masksIn(m_folder.path() / "nothing").error().code, ErrorCode::NotFound);
  fs::create_directory(m_folder.path() / "empty");
  EXPECT_EQ(masksIn(m_folder.path() / "empty").error().code, ErrorCode::NotFound);
  std::ofstream(m_folder.path() / "silent.json") << "{\"model\": {\"name\": \"deit_tiny\"}}";
  EXPECT_EQ(masksIn(m_folder.path() / "silent.json")->scheme, "none");
}

}  // namespace
}  // namespace headlight
