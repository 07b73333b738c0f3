// SPDX-License-Identifier: GPL-3.0-or-later

// Classes of data and model: by name as people write it, by a class map, by number on purpose, and
// never by number for want of anything better.

#include "core/workbench/classes/ClassMatch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/workbench/classes/ClassMap.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;
using Order = std::vector<std::int64_t>;

ModelClasses named(Names names, Names keys = {}) {
  const int count = static_cast<int>(names.size());
  return {count, std::move(names), std::move(keys), ClassNamesFrom::Model, true};
}

ModelClasses imagenet() {
  return {1000, imagenetNames(), imagenetSynsets(), ClassNamesFrom::ImageNet, true};
}

ModelClasses nameless(int count) {
  return {count, {}, {}, ClassNamesFrom::Nowhere, true};
}

void expectMisfit(const Result<ClassMatch>& match, const Names& words) {
  ASSERT_FALSE(match);
  EXPECT_TRUE(isClassMisfit(match.error())) << match.error().where;
  for (const std::string& word : words)
    EXPECT_NE(match.error().message.find(word), std::string::npos)
        << "no \"" << word << "\" in: " << match.error().message;
}

TEST(ClassMatch, OfTheSameClassesSaysNothing) {
  const auto match = valueOrThrow(matchClasses({"a", "b"}, named({"a", "b"})));
  EXPECT_EQ(match.by, ClassMatch::By::Same);
  EXPECT_TRUE(match.order.empty());
  EXPECT_EQ(match.text, "");
}

TEST(ClassMatch, IsByNameInAnyOrder) {
  EXPECT_EQ(valueOrThrow(matchClasses({"10", "2"}, named({"2", "10"}))).order, (Order{1, 0}));
  EXPECT_EQ(valueOrThrow(matchClasses({"10", "2"}, named({"2", "10"}))).text, "");
  const auto some = valueOrThrow(matchClasses({"b", "a"}, named({"a", "b", "c"})));
  EXPECT_EQ(some.order, (Order{1, 0}));
  EXPECT_NE(some.text.find("1 of the model's 3"), std::string::npos) << some.text;
}

TEST(ClassMatch, ComparesNamesAsPeopleWriteThem) {
  const auto place = [](const std::string& name) {
    return valueOrThrow(matchClasses({name}, imagenet())).order.front();
  };
  for (const char* name : {"tench", "Tench", "n01440764", "n01440764-tench", "Tinca_tinca",
                           "tench, Tinca tinca", "TENCH,tinca-tinca"})
    EXPECT_EQ(place(name), 0) << name;
  EXPECT_EQ(place("Golden_Retriever"), 207);
  EXPECT_EQ(place("great-white-shark"), 2);
  EXPECT_EQ(place("n02012849"), 134);  // the bird among two cranes
  // Of a model that has the words and no identifiers, too.
  EXPECT_EQ(valueOrThrow(matchClasses({"n03126707"}, named(imagenetNames()))).order.front(), 517);
}

TEST(ClassMatch, RefusesAnAmbiguousNameAndNamesBoth) {
  expectMisfit(matchClasses({"crane"}, imagenet()), {"crane", "class 134", "class 517"});
  expectMisfit(matchClasses({"tench", "n01440764"}, imagenet()), {"tench", "n01440764", "both"});
  EXPECT_EQ(valueOrThrow(matchClasses({"a"}, named({"A", "a"}))).order, (Order{1}));
  expectMisfit(matchClasses({"b_c"}, named({"b c", "B-C"})), {"class 0", "class 1"});
}

TEST(ClassMatch, RefusesWhatTheModelDoesNotKnowWithTheWaysOut) {
  const Names explanations{"--match index", "--class-map", "new head", "cat"};
  expectMisfit(matchClasses({"cat", "dog", "fox"}, imagenet()), explanations);
  expectMisfit(matchClasses({"cat", "b"}, named({"a", "b", "c"})), explanations);
  expectMisfit(matchClasses({"b", "cat"}, named({"a", "b"})), explanations);
  EXPECT_EQ(matchClasses({"b", "cat"}, named({"a", "b"})).error().message.find("\"b\" is"),
            std::string::npos);
}

TEST(ClassMatch, IsByNumberWhereSomebodyWantsIt) {
  const auto match = valueOrThrow(matchClasses({"cat", "dog", "fox"}, imagenet(), {"index", ""}));
  EXPECT_EQ(match.by, ClassMatch::By::Number);
  EXPECT_TRUE(match.order.empty());
  EXPECT_TRUE(match.text.starts_with("by number, as requested: \"cat\" is class 0 \"tench"))
      << match.text;
  expectMisfit(matchClasses({"a", "b"}, nameless(1), {"index", ""}), {"2 classes"});
  // "1" is number 0 there: nobody can know which is meant.
  expectMisfit(matchClasses({"1", "2"}, imagenet(), {"index", ""}), {"\"1\"", "--class-map"});
}

TEST(ClassMatch, OfNamelessModelsIsAGuessThatIsSaid) {
  const auto match = valueOrThrow(matchClasses({"cat", "dog"}, nameless(2)));
  EXPECT_EQ(match.text, "by number: the checkpoint has no class names");
  expectMisfit(matchClasses({"cat", "dog"}, nameless(3)), {"3", "2", "--match index"});
  expectMisfit(matchClasses({"cat", "dog"}, nameless(2), {"name", ""}), {"no class names"});
  EXPECT_TRUE(matchClasses({"cat", "dog"}, nameless(3), {"index", ""}));
}

class ClassMaps : public ::testing::Test {
 protected:
  ClassMatching map(const std::string& text, const std::string& match = "auto") const {
    std::ofstream(m_folder.path() / "map", std::ios::binary) << text;
    return {match, (m_folder.path() / "map").string()};
  }
  TemporaryFolder m_folder;
};

TEST_F(ClassMaps, SayWhichIsWhichHoweverTheyAreWritten) {
  for (const char* text : {R"({"cat": 281, "dog": "golden retriever", "fox": 277})",
                           "cat,281\ndog,golden retriever\nfox,277\n",
                           "folder,class\r\ncat,tabby cat\r\ndog,golden_retriever\r\nfox,277",
                           "cat\t281\ndog\tgolden retriever\n\nfox\t277\nother\t3\n",
                           "\xef\xbb\xbf\"cat\",\"tabby, tabby cat\"\ndog,207\nfox,277"}) {
    const auto match = matchClasses({"cat", "dog", "fox"}, imagenet(), map(text));
    ASSERT_TRUE(match) << match.error().text() << text;
    EXPECT_EQ(match->order, (Order{281, 207, 277})) << text;
    EXPECT_TRUE(match->text.starts_with("by the class map: 3 of")) << match->text;
  }
}

TEST_F(ClassMaps, LeaveTheRestToNamesAndMayJoinFolders) {
  const auto match = matchClasses({"cat", "dog", "tench"}, imagenet(), map("cat,5\ndog,5"));
  ASSERT_TRUE(match) << match.error().text();
  EXPECT_EQ(match->order, (Order{5, 5, 0}));
  expectMisfit(matchClasses({"cat", "dog"}, imagenet(), map("cat,5")), {"dog"});
  // Swapped names are no chain: each is taken once.
  EXPECT_EQ(matchClasses({"a", "b"}, named({"a", "b"}), map("a,b\nb,a"))->order, (Order{1, 0}));
}

TEST_F(ClassMaps, WithMistakesAreRefusedWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"cat,1000", "line 1"},
      {"cat,1\ndog,no such class", "line 2"},
      {"cat,crane", "class 517"},
      {"cat,1\ncat,2", "line 2"},
      {"cat,tench,5", "3 columns"},
      {"cat", "1 column"},
      {"\"cat,1", "quote"},
      {"cat,", "line 1"},
      {",1", "line 1"},
      {R"({"cat": -1})", "cat"},
      {R"({"cat": 1.5})", "cat"},
      {R"({"cat": [1]})", "cat"},
      {R"(["cat"])", "list"},
      {R"({"cat": 1, "cat": 1})", "twice"},
      {"kitten,1", "\"cat\""},
      {std::string("cat,1\0", 6), "not text"},
      {"", "no class"},
      {R"({"cat": 99999999999999999999})", "cat"}};
  for (const auto& [text, word] : mistakes) {
    const auto match = matchClasses({"cat", "dog"}, imagenet(), map(text));
    ASSERT_FALSE(match) << text;
    EXPECT_NE(match.error().text().find(word), std::string::npos) << match.error().text();
    EXPECT_NE(match.error().where.find("map"), std::string::npos) << match.error().where;
  }
}

TEST_F(ClassMaps, OfAMillionLinesAndOfAnyBytesAreRead) {
  std::string text = "c\xe9t,3\n";
  for (int i = 0; i < 1'000'000; ++i)
    text += "f" + std::to_string(i) + ",1\n";
  const auto match = matchClasses({"c\xe9t"}, imagenet(), map(text));
  ASSERT_TRUE(match) << match.error().text();
  EXPECT_EQ(match->order, (Order{3}));
  text += std::string(8u << 20, 'x');
  EXPECT_FALSE(matchClasses({"c\xe9t"}, imagenet(), map(text)));
  EXPECT_FALSE(classMapFromText("{\"a\": " + std::string(100'000, '['), "deep"));
}

}  // namespace
}  // namespace headlight
