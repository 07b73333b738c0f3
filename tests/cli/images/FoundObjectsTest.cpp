// SPDX-License-Identifier: GPL-3.0-or-later

// objects: what it finds is what attend shows; true boxes, images, CorLoc; what is refused.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const std::string kFoundScene = "dataset:texture-scenes:2:drawn";

class FoundObjectsCliTest : public ImagesCliTest {
 protected:
  Outcome objects(Arguments more) const {
    Arguments arguments{"objects", "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runWithModel(arguments);
  }
};

TEST_F(FoundObjectsCliTest, AreThoseOfAttend) {
  const Outcome found =
      objects({"--image", m_files[0].string(), "--method", "dino", "--layer", "1", "--json"});
  expectOk(found);
  const json said = found.json(), result = said["results"][0];
  EXPECT_EQ(said["options"]["mass"], 0.6);
  EXPECT_EQ(result["layer"], 1);
  ASSERT_EQ(result["mask"].size(), 64u);
  EXPECT_EQ(result["heads"].size(), 3u);
  const Outcome shown =
      runWithModel({"attend", m_files[0].string(), "--show", "dino-mask", "--layer", "1",
                    "--images", "shown", "--device", "cpu", "--threads", "1", "--json"});
  expectOk(shown);
  const json heat = shown.json()["results"][0]["heat"];
  ASSERT_EQ(heat["values"].size(), 64u);
  for (std::size_t p = 0; p < 64; ++p)
    EXPECT_EQ(heat["values"][p].get<double>() > 0, result["mask"][p] == 1) << p;
  EXPECT_EQ(heat["object_box"].size(), 4u);
  EXPECT_FALSE(result.contains("iou"));
}

TEST_F(FoundObjectsCliTest, AreMeasuredAndDrawn) {
  const Outcome found =
      objects({"--image", kFoundScene, "--method", "dino", "--images", "out", "--json"});
  expectOk(found);
  const json result = found.json()["results"][0];
  EXPECT_GE(result["iou"], 0);
  EXPECT_LE(result["iou"], 1);
  EXPECT_FALSE(result["label"].get<std::string>().empty());
  EXPECT_EQ(readBytes(path(result["file"].get<std::string>())).substr(1, 3), "PNG");
  const Outcome text = objects({"--image", kFoundScene, "--method", "dino"});
  expectOk(text);
  EXPECT_NE(text.out.find("IoU "), std::string::npos) << text.out;
}

TEST_F(FoundObjectsCliTest, FiguresHaveTheBoxAndItsOverlap) {
  json truth{
      {"images", json::array()}, {"annotations", json::array()}, {"categories", json::array()}};
  const fs::path root = path("truth.json").parent_path();
  truth["images"].push_back({{"id", 1},
                             {"file_name", fs::relative(m_files[0], root).string()},
                             {"width", 40},
                             {"height", 40}});
  truth["annotations"].push_back({{"id", 1},
                                  {"image_id", 1},
                                  {"category_id", 7},
                                  {"bbox", {4, 4, 30, 30}},
                                  {"area", 900},
                                  {"iscrowd", 0}});
  truth["categories"].push_back({{"id", 7}, {"name", "cat"}});
  write("truth.json", truth.dump());
  const std::string image = m_files[0].string();
  const Outcome measured =
      objects({"--image", image, "--method", "dino", "--truth", "truth.json", "--json"});
  expectOk(measured);
  const double overlap = measured.json()["results"][0]["iou"];
  const Outcome shown =
      runWithModel({"attend", image, "--show", "dino-mask", "--truth", "truth.json", "--images",
                    "shown", "--device", "cpu", "--threads", "1", "--json"});
  expectOk(shown);
  const json heat = shown.json()["results"][0]["heat"];
  EXPECT_EQ(heat["iou"], overlap);
  EXPECT_NE(heat["match"].get<std::string>().find(" with cat"), std::string::npos);
  const Outcome page =
      runWithModel({"figure", image, "--columns", "image, dino-mask", "--truth", "truth.json", "-o",
                    "page.svg", "--device", "cpu", "--threads", "1", "--json"});
  expectOk(page);
  const json said = page.json(), tiles = said["results"][0]["tiles"];
  EXPECT_EQ(tiles[1]["object_box"], heat["object_box"]);
  EXPECT_EQ(tiles[1]["iou"], overlap);
  EXPECT_FALSE(tiles[0].contains("object_box"));
  EXPECT_NE(said["caption"].get<std::string>().find(" with cat"), std::string::npos);
  expectError(runWithModel({"attend", image, "--show", "relevance", "--truth", "truth.json"}), 2,
              {"--truth", "lost"});
  expectError(runWithModel({"figure", image, "--truth", "none.json", "-o", "page.svg"}), 3,
              {"none.json"});
}

TEST_F(FoundObjectsCliTest, CorLocIsCounted) {
  const Arguments data{
      "--method", "dino", "--data.dataset", "texture-scenes", "--data.validation_samples", "4"};
  Arguments all = data;
  all.insert(all.end(), {"--csv", "boxes.csv", "--json"});
  const Outcome found = objects(all);
  expectOk(found);
  const json counted = found.json()["localization"];
  EXPECT_EQ(counted["images"].get<int>() + counted["without_boxes"].get<int>(), 4);
  EXPECT_LE(counted["low"], counted["corloc"]);
  EXPECT_GE(counted["high"], counted["corloc"]);
  EXPECT_EQ(counted["each"].size(), counted["images"].get<std::size_t>());
  EXPECT_TRUE(readBytes(path("boxes.csv")).starts_with("image,iou,class,left,top,right,bottom\n"));
  const Outcome text = objects(data);
  expectOk(text);
  EXPECT_NE(text.out.find("CorLoc "), std::string::npos) << text.out;
}

TEST_F(FoundObjectsCliTest, SegmentsMeasureTheMaskToo) {
  const Outcome found =
      objects({"--image", "dataset:texture-segments:2:drawn", "--method", "dino", "--json"});
  expectOk(found);
  const json result = found.json()["results"][0];
  EXPECT_GT(result["mask_iou"], 0);
  EXPECT_LE(result["mask_iou"], 1);
  EXPECT_FALSE(result["mask_label"].get<std::string>().empty());
  EXPECT_TRUE(result.contains("iou"));
  const Arguments data{
      "--method", "dino", "--data.dataset", "texture-segments", "--data.validation_samples", "3"};
  Arguments all = data;
  all.push_back("--json");
  const Outcome counted = objects(all);
  expectOk(counted);
  EXPECT_EQ(counted.json()["localization"]["images"], 3);
  EXPECT_GT(counted.json()["localization"]["mean_mask_iou"], 0);
  const Outcome text = objects(data);
  expectOk(text);
  EXPECT_NE(text.out.find(" of masks"), std::string::npos) << text.out;
}

TEST_F(FoundObjectsCliTest, AllFeaturesAndMethodsRun) {
  for (const char* feature : {"keys", "queries", "values", "tokens"})
    expectOk(objects({"--image", m_files[0].string(), "--method", "lost", "--feature", feature}));
  const Outcome cut = objects({"--image", m_files[0].string(), "--method", "tokencut", "--json"});
  expectOk(cut);
  EXPECT_EQ(cut.json()["results"].size(), 1u);
}

TEST_F(FoundObjectsCliTest, RefuseWhatDoesNotFit) {
  const std::string image = m_files[0].string();
  expectError(objects({"--image", image, "--mass", "0"}), 2, {"mass", "greater than 0"});
  expectError(objects({"--image", image, "--mass", "1.5"}), 2, {"mass"});
  expectError(objects({"--image", image, "--method", "by feel"}), 2, {"method"});
  expectError(objects({"--image", image, "--layer", "99"}), 2, {"no layer 99"});
  expectError(objects({"--image", image, "--csv", "a.csv"}), 2, {"--csv", "--data"});
  expectError(objects({"--data.dataset", "texture-shape"}), 2, {"no true boxes"});
  expectError(objects({"--data.dataset", "texture-scenes", "--truth", "a.json"}), 2, {"--truth"});
}

}  // namespace
}  // namespace headlight::testing
