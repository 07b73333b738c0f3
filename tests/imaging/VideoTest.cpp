// SPDX-License-Identifier: GPL-3.0-or-later

// Videos, written here by OpenCV itself and by FilmFile: frames in order and out of it, and files
// that lie, break off or are no videos.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <sstream>

#include "core/imaging/video/FilmFile.h"
#include "core/imaging/video/VideoKind.h"
#include "core/imaging/video/VideoReader.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 64, kHeight = 48, kFrames = 60, kSide = 12;

int leftOf(int frame) {
  return frame * 7 % (kWidth - kSide);
}

/// A red square that moves, on gray.
Image squareFrame(int frame, int width = kWidth, int height = kHeight) {
  std::vector<std::uint8_t> pixels(std::size_t{3} * width * height, 60);
  for (int y = 16; y < 16 + kSide; ++y)
    for (int x = leftOf(frame); x < leftOf(frame) + kSide; ++x) {
      std::uint8_t* pixel = &pixels[std::size_t{3} * (y * width + x)];
      pixel[0] = 230, pixel[1] = 40, pixel[2] = 30;
    }
  return {width, height, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

double meanDifference(const Image& a, const Image& b) {
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels->size(); ++i)
    sum += std::abs(double((*a.pixels)[i]) - double((*b.pixels)[i]));
  return sum / static_cast<double>(a.pixels->size());
}

/// Where red begins in the rows of the square, from its mean.
int foundLeft(const Image& frame) {
  double weight = 0, sum = 0;
  for (int x = 0; x < frame.width; ++x) {
    const double red = frame.row(20)[3 * x] - 60.0;
    if (red > 80) weight += 1, sum += x;
  }
  return static_cast<int>(std::lround(sum / weight - (kSide - 1) / 2.0));
}

std::string contentOfTestFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

/// Of a transport stream, by its length and first byte.
std::string packet(std::string bytes) {
  bytes.resize(188, ' ');
  return bytes;
}

class VideoTest : public ::testing::Test {
 protected:
  /// By OpenCV's own writer, at 20 frames a second.
  fs::path writeAvi(const std::string& name = "square.avi") {
    const fs::path path = m_folder / name;
    cv::VideoWriter writer(path.string(), cv::CAP_OPENCV_MJPEG,
                           cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 20, {kWidth, kHeight});
    for (int i = 0; i < kFrames; ++i) {
      cv::Mat frame(kHeight, kWidth, CV_8UC3, cv::Scalar(60, 60, 60));
      frame(cv::Rect(leftOf(i), 16, kSide, kSide)) = cv::Scalar(30, 40, 230);  // blue first
      writer.write(frame);
    }
    return path;
  }
  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(m_folder / name, std::ios::binary) << bytes;
    return m_folder / name;
  }
  /// The AVI with a number of four bytes replaced, `offset` behind `tag`.
  fs::path withNumber(const std::string& tag, std::size_t offset, std::uint32_t number) {
    std::string bytes = contentOfTestFile(writeAvi());
    const auto at = bytes.find(tag);
    EXPECT_NE(at, std::string::npos);
    std::memcpy(&bytes[at + offset], &number, 4);
    return write("lying.avi", bytes);
  }
  static int countFrames(VideoReader& reader) {
    int count = 0;
    while (count < 10 * kFrames) {
      const auto frame = reader.next();
      if (!frame || !*frame) break;
      ++count;
    }
    return count;
  }
  static ErrorCode codeOf(const fs::path& path) {
    const auto opened = VideoReader::open(path);
    EXPECT_FALSE(opened) << path;
    return opened ? ErrorCode::Internal : opened.error().code;
  }
  TemporaryFolder m_folder;
};

TEST_F(VideoTest, GivesEveryFrameInOrder) {
  const auto reader = valueOrThrow(VideoReader::open(writeAvi()));
  EXPECT_EQ(reader->info().kind, "AVI");
  EXPECT_EQ(reader->info().name, "square.avi");
  EXPECT_EQ(reader->info().width, kWidth);
  EXPECT_EQ(reader->info().height, kHeight);
  EXPECT_NEAR(reader->info().rate, 20, 1e-6);
  EXPECT_EQ(reader->info().frames, kFrames);
  EXPECT_NEAR(reader->info().seconds(), 3, 1e-6);
  for (int i = 0; i < kFrames; ++i) {
    const auto frame = valueOrThrow(reader->next());
    ASSERT_TRUE(frame) << i;
    EXPECT_EQ(frame->index, i);
    EXPECT_NEAR(frame->seconds, i / 20.0, 1e-9);
    EXPECT_LT(meanDifference(frame->image, squareFrame(i)), 4) << i;
    EXPECT_EQ(foundLeft(frame->image), leftOf(i)) << i;
  }
  EXPECT_FALSE(valueOrThrow(reader->next()));
  EXPECT_FALSE(valueOrThrow(reader->next()));
}

TEST_F(VideoTest, GoesToAnyFrame) {
  for (const std::string name : {"a.avi", "a.mp4", "a.gif"}) {
    const auto film = valueOrThrow(FilmFile::create(m_folder / name, 0.04));
    for (int i = 0; i < kFrames; ++i)
      valueOrThrow(film->add(squareFrame(i)));
    ASSERT_EQ(valueOrThrow(film->finish()), kFrames);
    const auto reader = valueOrThrow(VideoReader::open(m_folder / name));
    EXPECT_NEAR(reader->info().rate, 25, 0.01) << name;
    for (const int index : {50, 3, 59, 0, 1, 2, 40, 33, 34, 58, 7}) {
      const auto frame = valueOrThrow(reader->at(index));
      ASSERT_TRUE(frame) << name << index;
      EXPECT_EQ(frame->index, index) << name;
      EXPECT_EQ(foundLeft(frame->image), leftOf(index)) << name << " " << index;
    }
    EXPECT_FALSE(valueOrThrow(reader->at(kFrames))) << name;
    EXPECT_FALSE(valueOrThrow(reader->at(1'000'000))) << name;
    EXPECT_TRUE(valueOrThrow(reader->at(5))) << name;
    EXPECT_EQ(reader->at(-1).error().code, ErrorCode::InvalidArgument);
  }
}

TEST_F(VideoTest, OneFrameIsReadByItsNumber) {
  const fs::path file = writeAvi();
  EXPECT_EQ(foundLeft(valueOrThrow(readVideoFrame(file, 44))), leftOf(44));
  const auto none = readVideoFrame(file, kFrames);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_NE(none.error().message.find("it has 60"), std::string::npos);
}

TEST_F(VideoTest, WhatIsNoVideoIsRefused) {
  const fs::path avi = writeAvi();
  EXPECT_EQ(codeOf(m_folder / "nowhere.avi"), ErrorCode::NotFound);
  EXPECT_EQ(codeOf(m_folder.path()), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf("/dev/zero"), ErrorCode::InvalidArgument);
  EXPECT_EQ(codeOf(write("empty.avi", "")), ErrorCode::UnsupportedFile);
  EXPECT_EQ(codeOf(write("text.mp4", "This is no video.\n")), ErrorCode::UnsupportedFile);
  // FFmpeg would open what these name.
  EXPECT_EQ(codeOf(write("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" +
                                          avi.string() + "\n#EXT-X-ENDLIST\n")),
            ErrorCode::UnsupportedFile);
  EXPECT_EQ(codeOf(write("list.avi", "ffconcat version 1.0\nfile '" + avi.string() + "'\n")),
            ErrorCode::UnsupportedFile);
  EXPECT_EQ(codeOf("concat:" + avi.string() + "|" + avi.string()), ErrorCode::NotFound);
  EXPECT_EQ(codeOf("file:" + avi.string()), ErrorCode::NotFound);
  EXPECT_EQ(codeOf("http://127.0.0.1:9/clip.mp4"), ErrorCode::NotFound);
}

TEST_F(VideoTest, PlaylistsAreRefusedByTheirName) {
  const std::string file = writeAvi().string();
  const std::string packets = packet("G\33]0;title\7") + packet("G\33[31m") + packet("G") + "G\n";
  for (const auto& [bytes, kind] :
       {std::pair<std::string, std::string>{"#EXTM3U\n" + file + "\n", "M3U or HLS playlist"},
        {"\xef\xbb\xbf\n#EXTM3U\n" + file + "\n", "M3U or HLS playlist"},
        {"ffconcat version 1.0\nfile '" + file + "'\n", "concat list"},
        {"[playlist]\nFile1=" + file + "\n", "PLS playlist"},
        {"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n", "SDP description"},
        {"<ASX version=\"3.0\"><entry/></ASX>", "ASX playlist"},
        {"<?xml version='1.0'?><smil><body/></smil>", "SMIL presentation"},
        {"<?xml version='1.0'?>\n<MPD profiles='x'/>", "DASH manifest"},
        {"rtsp://127.0.0.1/a\n", "list of addresses"},
        // Transport packets by their sync bytes, and a manifest that FFmpeg would read.
        {packets + "<?xml version='1.0'?><MPD profiles='x:dash:profile:y'>", "DASH manifest"}}) {
    for (const std::string name : {"list.ts", "list.avi", "list.m3u8"}) {
      const auto opened = VideoReader::open(write(name, bytes));
      ASSERT_FALSE(opened) << kind;
      EXPECT_EQ(opened.error().code, ErrorCode::UnsupportedFile) << kind;
      EXPECT_NE(opened.error().text().find(kind), std::string::npos) << opened.error().text();
      EXPECT_NE(opened.error().text().find("Open the video file"), std::string::npos);
    }
    EXPECT_EQ(identifyVideo(bytes), "");
    EXPECT_EQ(findVideoDemuxer(bytes), "");
  }
}

/// Behind the bytes that are examined stands a manifest: what the packets say alone is read.
TEST_F(VideoTest, AContainerIsReadByItsOwnDemuxerAlone) {
  std::string bytes;
  for (int i = 0; i < 30; ++i)
    bytes += packet(i == 0 ? "G\33]0;title\7" : "G");
  ASSERT_GT(bytes.size(), kVideoHeadBytes);
  bytes += "G\n<?xml version='1.0'?><MPD profiles='urn:mpeg:dash:profile:isoff-on-demand:2011'>";
  const fs::path file = write("manifest.ts", bytes);
  EXPECT_EQ(identifyVideo(bytes.substr(0, kVideoHeadBytes)), "MPEG");
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(codeOf(file), ErrorCode::InvalidFile);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// By a name that FFmpeg takes for a series of images.
TEST_F(VideoTest, APatternInANameIsNoSeriesOfFiles) {
  const fs::path odd = m_folder / "frame%03d.jpg";
  fs::copy_file(writeAvi(), odd);
  write("frame001.jpg", "no image");
  EXPECT_EQ(valueOrThrow(VideoReader::open(odd))->info().frames, kFrames);
}

TEST_F(VideoTest, EveryContainerOfTheListIsRead) {
  const auto coded = [](const char* letters) {
    return cv::VideoWriter::fourcc(letters[0], letters[1], letters[2], letters[3]);
  };
  for (const auto& [name, coding, kind] :
       {std::tuple{"c.mkv", "mp4v", "Matroska or WebM"},
        std::tuple{"c.mov", "mp4v", "MP4 or QuickTime"}, std::tuple{"c.mpg", "mpg1", "MPEG"},
        std::tuple{"c.ts", "mpg2", "MPEG"}, std::tuple{"c.flv", "FLV1", "Flash Video"},
        std::tuple{"c.wmv", "WMV2", "Windows Media"}}) {
    const fs::path path = m_folder / name;
    cv::VideoWriter writer(path.string(), cv::CAP_FFMPEG, coded(coding), 25, {kWidth, kHeight});
    ASSERT_TRUE(writer.isOpened()) << name;
    for (int i = 0; i < 20; ++i) {
      cv::Mat frame(kHeight, kWidth, CV_8UC3, cv::Scalar(60, 60, 60));
      frame(cv::Rect(leftOf(i), 16, kSide, kSide)) = cv::Scalar(30, 40, 230);
      writer.write(frame);
    }
    writer.release();
    const auto reader = VideoReader::open(path);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ((*reader)->info().kind, kind);
    EXPECT_EQ(foundLeft(valueOrThrow((*reader)->next())->image), leftOf(0)) << name;
    EXPECT_EQ(foundLeft(valueOrThrow((*reader)->next())->image), leftOf(1)) << name;
  }
  std::string plain = "YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420jpeg\n";
  for (int i = 0; i < 3; ++i)
    plain += "FRAME\n" + std::string(kWidth * kHeight, '\x60') +
             std::string(kWidth * kHeight / 2, '\x80');
  const auto reader = VideoReader::open(write("c.y4m", plain));
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ((*reader)->info().kind, "YUV4MPEG");
  EXPECT_EQ(countFrames(**reader), 3);
}

TEST_F(VideoTest, ANameThatLooksLikeAnAddressIsAFile) {
  fs::create_directory(m_folder / "http:");
  const fs::path odd = m_folder / "http:" / "concat:a|b %03d.avi";
  fs::copy_file(writeAvi(), odd);
  EXPECT_EQ(valueOrThrow(VideoReader::open(odd))->info().frames, kFrames);
}

TEST_F(VideoTest, AFileThatBreaksOffEndsThere) {
  const std::string whole = contentOfTestFile(writeAvi());
  const auto half = VideoReader::open(write("half.avi", whole.substr(0, whole.size() / 2)));
  ASSERT_TRUE(half) << half.error().text();
  const int frames = countFrames(**half);
  EXPECT_GT(frames, 10);
  EXPECT_LT(frames, 50);
  EXPECT_EQ((*half)->info().frames, frames);  // whatever the header says
  EXPECT_EQ(codeOf(write("head.avi", whole.substr(0, 300))), ErrorCode::InvalidFile);
}

TEST_F(VideoTest, HeadersThatLieAreNotBelieved) {
  // Frames in the main header and in the stream's, both in one file.
  std::string bytes = contentOfTestFile(withNumber("avih", 8 + 16, 0x7fffffff));
  const std::uint32_t many = 0x7fffffff;
  std::memcpy(&bytes[bytes.find("strh") + 8 + 32], &many, 4);
  auto reader = valueOrThrow(VideoReader::open(write("frames.avi", bytes)));
  EXPECT_LE(reader->info().frames, 2 * kFrames);
  EXPECT_EQ(countFrames(*reader), kFrames);
  EXPECT_EQ(reader->info().frames, kFrames);
  // A rate of nothing, and one of 4 GHz.
  for (const std::uint32_t rate : {0u, 0xffffffffu}) {
    reader = valueOrThrow(VideoReader::open(withNumber("strh", 8 + 24, rate)));
    EXPECT_GT(reader->info().rate, 0);
    EXPECT_LE(reader->info().rate, 1000);
    EXPECT_EQ(foundLeft(valueOrThrow(reader->at(40))->image), leftOf(40));
    EXPECT_EQ(foundLeft(valueOrThrow(reader->at(2))->image), leftOf(2));
  }
  // 60000 × 60000 pixels.
  bytes = contentOfTestFile(withNumber("strf", 8 + 4, 60000));
  const std::uint32_t tall = 60000;
  std::memcpy(&bytes[bytes.find("strf") + 8 + 8], &tall, 4);
  const auto large = VideoReader::open(write("large.avi", bytes));
  if (large)
    EXPECT_EQ((*large)->info().width, kWidth);  // by the frames themselves
  else
    EXPECT_EQ(large.error().code, ErrorCode::UnsupportedFile);
}

TEST_F(VideoTest, DamagedFilesAreReadOrRefused) {
  const std::string whole = contentOfTestFile(writeAvi());
  std::uint32_t random = 12345;
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    for (int k = 0; k < 12; ++k) {
      random = random * 1664525u + 1013904223u;
      const std::size_t reach = round % 2 == 0 ? 700 : bytes.size();
      bytes[12 + random % (reach - 12)] = static_cast<char>(random >> 24);
    }
    const auto reader = VideoReader::open(write("damaged.avi", bytes));
    if (!reader) continue;
    EXPECT_LE(countFrames(**reader), 2 * kFrames);
    const auto again = (*reader)->at(5);
    if (again && *again) {
      EXPECT_FALSE((*again)->image.empty());
    }
  }
}

TEST_F(VideoTest, KindsAreToldByContent) {
  using namespace std::string_literals;
  EXPECT_EQ(identifyVideo("RIFF\1\2\3\4AVI LIST"), "AVI");
  EXPECT_EQ(identifyVideo("RIFF\1\2\3\4WEBPVP8 "), "");
  EXPECT_EQ(identifyVideo("\0\0\0\x20"
                          "ftypisom"s),
            "MP4 or QuickTime");
  EXPECT_EQ(identifyVideo("left"
                          "ftypisom"s),
            "");
  EXPECT_EQ(identifyVideo("\x1a\x45\xdf\xa3....webm"), "Matroska or WebM");
  EXPECT_EQ(identifyVideo("OggS\0\2"s), "Ogg");
  EXPECT_EQ(identifyVideo("\0\0\1\xba..."s), "MPEG");
  EXPECT_EQ(identifyVideo("GIF89a"), "animated GIF");
  EXPECT_EQ(identifyVideo(""), "");
  EXPECT_EQ(identifyVideo("#EXTM3U\n"), "");
  EXPECT_EQ(identifyVideo("FLV\1\5"s), "Flash Video");
  EXPECT_EQ(identifyVideo("YUV4MPEG2 W2 H2\n"), "YUV4MPEG");
  const std::string two = packet("G\0\0\x10"s) + packet("G\0\0\x10"s);
  EXPECT_EQ(identifyVideo(two + two), "MPEG");
  EXPECT_EQ(findVideoDemuxer(two + two), "mpegts");
  EXPECT_EQ(identifyVideo(two + two + "no sync"), "");
  EXPECT_EQ(identifyVideo(two), "");
  // What a container holds is no playlist, whatever it says.
  EXPECT_EQ(identifyPlaylist("\0\0\0\x20 <MPD <smil"s), "");
}

// --- Films that are written --------------------------------------------------------------------

TEST_F(VideoTest, FilmsAreWhatTheEndingSays) {
  for (const auto& [name, coding] : {std::pair<std::string, std::string>{"f.gif", "GIF"},
                                     {"f.avi", "Motion JPEG in AVI"},
                                     {"f.AVI", "Motion JPEG in AVI"},
                                     {"folder", "PNG"},
                                     {"f.mp4", " in MP4"}}) {
    const auto film = valueOrThrow(FilmFile::create(m_folder / name, 0.1));
    for (int i = 0; i < 5; ++i)
      valueOrThrow(film->add(squareFrame(i)));
    EXPECT_EQ(valueOrThrow(film->finish()), 5) << name;
    EXPECT_NE(film->coding().find(coding), std::string::npos) << film->coding();
    if (name == "folder") continue;
    const auto reader = valueOrThrow(VideoReader::open(m_folder / name));
    EXPECT_EQ(countFrames(*reader), 5) << name;
    EXPECT_NEAR(reader->info().rate, 10, 0.01) << name;
  }
  const Image png = valueOrThrow(readImage(m_folder / "folder" / "00004.png"));
  EXPECT_EQ(*png.pixels, *squareFrame(4).pixels);
  EXPECT_FALSE(fs::exists(m_folder / "folder" / "00005.png"));
}

TEST_F(VideoTest, WhatIsNotFinishedIsTakenAway) {
  write("kept.avi", "what stood there");
  for (const std::string name : {"f.gif", "kept.avi", "f.mp4", "folder"}) {
    const auto film = valueOrThrow(FilmFile::create(m_folder / name, 0.1));
    valueOrThrow(film->add(squareFrame(0)));
  }
  EXPECT_EQ(contentOfTestFile(m_folder / "kept.avi"), "what stood there");
  int left = 0;
  for (const auto& entry : fs::directory_iterator(m_folder.path()))
    left += entry.path().filename() != "kept.avi";
  EXPECT_EQ(left, 0);
}

TEST_F(VideoTest, FramesOfAnotherSizeAreCutOrSetOnWhite) {
  const auto film = valueOrThrow(FilmFile::create(m_folder / "folder", 0.1));
  valueOrThrow(film->add(squareFrame(0)));
  valueOrThrow(film->add(squareFrame(1, 80, 40)));
  EXPECT_EQ(film->add({}).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(valueOrThrow(film->finish()), 2);
  const Image second = valueOrThrow(readImage(m_folder / "folder" / "00001.png"));
  EXPECT_EQ(second.width, kWidth);
  EXPECT_EQ(second.height, kHeight);
  EXPECT_EQ(second.row(39)[0], 60);
  EXPECT_EQ(second.row(40)[0], 255);
}

TEST_F(VideoTest, FilmsThatCannotBeAreRefused) {
  const auto refused = [&](const std::string& name, double seconds) {
    const auto film = FilmFile::create(m_folder / name, seconds);
    return film ? ErrorCode::Internal : film.error().code;
  };
  EXPECT_EQ(refused("f.mkv", 0.1), ErrorCode::InvalidArgument);
  EXPECT_EQ(refused("f.gif", 0), ErrorCode::InvalidArgument);
  EXPECT_EQ(refused("f.gif", std::nan("")), ErrorCode::InvalidArgument);
  fs::create_directory(m_folder / "full");
  write("full/image", "x");
  EXPECT_EQ(refused("full", 0.1), ErrorCode::InvalidArgument);
  EXPECT_TRUE(fs::exists(m_folder / "full" / "image"));
  const auto none = valueOrThrow(FilmFile::create(m_folder / "none.avi", 0.1));
  EXPECT_EQ(none->finish().error().code, ErrorCode::InvalidArgument);
  const auto nowhere = FilmFile::create(m_folder / "no" / "where.avi", 0.1);
  EXPECT_TRUE(!nowhere || !(*nowhere)->add(squareFrame(0)));
}

}  // namespace
}  // namespace headlight
