// SPDX-License-Identifier: GPL-3.0-or-later

// Names of classes: ImageNet-1k's, and those of files however they are written.

#include "core/workbench/classes/ClassNames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/Prediction.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

class ClassNamesTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(m_folder / "names", std::ios::binary) << text;
    return m_folder / "names";
  }
  Result<std::vector<std::string>> read(const std::string& text, int classes = 3) const {
    return readClassNames(write(text), classes);
  }

  const std::vector<std::string> m_three{"a cat", "b", "c, or d"};
  TemporaryFolder m_folder;
};

TEST_F(ClassNamesTest, OfImagenetAreAThousandInTheOrderOfTheirIdentifiers) {
  ASSERT_EQ(imagenetNames().size(), 1000u);
  ASSERT_EQ(imagenetSynsets().size(), 1000u);
  EXPECT_TRUE(std::is_sorted(imagenetSynsets().begin(), imagenetSynsets().end()));
  EXPECT_EQ(std::set<std::string>(imagenetSynsets().begin(), imagenetSynsets().end()).size(),
            1000u);
  for (const std::string& synset : imagenetSynsets())
    EXPECT_TRUE(synset.size() == 9 && synset[0] == 'n') << synset;
  // As everybody who has trained on it knows them.
  EXPECT_EQ(imagenetNames()[0], "tench, Tinca tinca");
  EXPECT_EQ(imagenetSynsets()[0], "n01440764");
  EXPECT_EQ(imagenetNames()[207], "golden retriever");
  EXPECT_EQ(imagenetNames()[281], "tabby, tabby cat");
  EXPECT_EQ(imagenetSynsets()[999], "n15075141");
  EXPECT_NE(imagenetNames()[999].find("toilet"), std::string::npos);
  for (const std::string& name : imagenetNames())
    EXPECT_TRUE(!name.empty() && name.find('_') == std::string::npos) << name;
}

TEST_F(ClassNamesTest, AreReadHoweverTheyAreWritten) {
  for (const char* text :
       {"a cat\nb\nc, or d\n", "a cat\r\nb\r\nc, or d", "\xef\xbb\xbf  a cat\nb\t\nc, or d\n\n \n",
        R"(["a cat", "b", "c, or d"])", R"({"2": "c, or d", "0": "a cat", "1": "b"})",
        R"({"model_type": "vit", "id2label": {"0": "a cat", "1": "b", "2": "c, or d"}})",
        R"({"label_names": ["a cat", "b", "c, or d"]})"}) {
    const auto names = read(text);
    ASSERT_TRUE(names) << names.error().text();
    EXPECT_EQ(*names, m_three);
  }
}

TEST_F(ClassNamesTest, OfAnotherNumberAreAnErrorThatNamesBoth) {
  const auto names = read("one\ntwo\n", 1000);
  ASSERT_FALSE(names);
  EXPECT_EQ(names.error().code, ErrorCode::InvalidFile);
  EXPECT_NE(names.error().message.find("2 classes"), std::string::npos) << names.error().message;
  EXPECT_NE(names.error().message.find("1000"), std::string::npos);
}

TEST_F(ClassNamesTest, OfOtherFilesAreRefused) {
  for (const std::string& text :
       {std::string("a\n\nc\n"), std::string("a\0b\nc\nd", 7), std::string("{\"a\": 1"),
        std::string(R"({"0": "a", "2": "b", "3": "c"})"), std::string(R"(["a", 2, "c"])"),
        std::string(R"({"id2label": 3})")}) {
    const auto names = read(text);
    ASSERT_FALSE(names) << text;
    EXPECT_EQ(names.error().code, ErrorCode::InvalidFile);
    EXPECT_NE(names.error().text().find("names"), std::string::npos);
  }
  EXPECT_EQ(readClassNames(m_folder / "nowhere", 3).error().code, ErrorCode::NotFound);
}

class NamedClassesTest : public ClassNamesTest {
 protected:
  void SetUp() override { m_info.experiment.model.classes = 3; }
  ModelInfo m_info;
};

TEST_F(NamedClassesTest, AreTheModelsOwnThenAFilesThenImagenets) {
  nameClasses(m_info, {});
  EXPECT_EQ(m_info.classNamesFrom, ClassNamesFrom::Nowhere);
  nameClasses(m_info, {m_three, {}});
  EXPECT_EQ(m_info.classNamesFrom, ClassNamesFrom::Model);
  nameClasses(m_info, {m_three, {}}, write("x\ny\nz"));
  EXPECT_EQ(m_info.classNamesFrom, ClassNamesFrom::File);
  EXPECT_EQ(m_info.classNames[2], "z");
  EXPECT_EQ(m_info.classKeys, m_three);
  m_info.experiment.model.classes = 1000;
  nameClasses(m_info, {m_three, {}});  // of another number: not used
  EXPECT_EQ(m_info.classNamesFrom, ClassNamesFrom::ImageNet);
  EXPECT_TRUE(classesToKeep(m_info).names.empty());  // assumed once, not for ever
}

TEST_F(NamedClassesTest, DataOfOtherClassesAreRefusedWhereverTheNamesComeFrom) {
  using Order = std::vector<std::int64_t>;
  const auto match = [this](const std::vector<std::string>& data) {
    return matchClasses(data, readModelClasses(m_info));
  };
  nameClasses(m_info, {{"tench", "goldfish", "cock"}, {"n1", "n2", "n3"}});
  EXPECT_EQ(match({"n3", "n1"})->order, (Order{2, 0}));
  EXPECT_EQ(match({"cock", "tench"})->order, (Order{2, 0}));
  EXPECT_FALSE(match({"dog"}));
  nameClasses(m_info, {}, write("x\ny\nz"));
  EXPECT_EQ(match({"z", "x"})->order, (Order{2, 0}));
  EXPECT_FALSE(match({"dog", "cat"}));
  m_info.experiment.model.classes = 1000;
  nameClasses(m_info, {});
  EXPECT_EQ(match({"n01443537", "n01440764"})->order, (Order{1, 0}));
  EXPECT_FALSE(match({"dog", "cat"}));
}

TEST_F(NamedClassesTest, AreNoReasonToCallClassesOthersWhereTheyWereAssumedOrGiven) {
  ModelInfo other = m_info;
  nameClasses(m_info, {m_three, {}});
  nameClasses(other, {{"x", "y", "z"}, {}});
  EXPECT_FALSE(sameClasses(m_info, other));
  nameClasses(other, {}, write("x\ny\nz"));
  EXPECT_TRUE(sameClasses(m_info, other));
  nameClasses(other, {{"x", "y", "z"}, m_three});
  nameClasses(m_info, {{"u", "v", "w"}, m_three});
  EXPECT_TRUE(sameClasses(m_info, other));  // the same labels, described otherwise
}

}  // namespace
}  // namespace headlight
