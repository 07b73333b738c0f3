#pragma once
// Films that programs write.

#include "core/imaging/video/FilmFile.h"
