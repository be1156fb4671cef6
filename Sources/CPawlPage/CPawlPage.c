// The files of the page and the description of the API, as bytes of the program: nothing has to be installed beside it.
// A test compares this list with the directories.
#include "CPawlPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../PawlServer/Page/app/add.js"
};
static const unsigned char file1[] = {
#embed "../PawlServer/Page/app/announce.js"
};
static const unsigned char file2[] = {
#embed "../PawlServer/Page/app/api.js"
};
static const unsigned char file3[] = {
#embed "../PawlServer/Page/app/connection.js"
};
static const unsigned char file4[] = {
#embed "../PawlServer/Page/app/connections.js"
};
static const unsigned char file5[] = {
#embed "../PawlServer/Page/app/detail.js"
};
static const unsigned char file6[] = {
#embed "../PawlServer/Page/app/dom.js"
};
static const unsigned char file7[] = {
#embed "../PawlServer/Page/app/drop.js"
};
static const unsigned char file8[] = {
#embed "../PawlServer/Page/app/events.js"
};
static const unsigned char file9[] = {
#embed "../PawlServer/Page/app/filters.js"
};
static const unsigned char file10[] = {
#embed "../PawlServer/Page/app/format.js"
};
static const unsigned char file11[] = {
#embed "../PawlServer/Page/app/graph.js"
};
static const unsigned char file12[] = {
#embed "../PawlServer/Page/app/i18n.js"
};
static const unsigned char file13[] = {
#embed "../PawlServer/Page/app/icons.js"
};
static const unsigned char file14[] = {
#embed "../PawlServer/Page/app/keys.js"
};
static const unsigned char file15[] = {
#embed "../PawlServer/Page/app/links.js"
};
static const unsigned char file16[] = {
#embed "../PawlServer/Page/app/list.js"
};
static const unsigned char file17[] = {
#embed "../PawlServer/Page/app/login.js"
};
static const unsigned char file18[] = {
#embed "../PawlServer/Page/app/main.js"
};
static const unsigned char file19[] = {
#embed "../PawlServer/Page/app/map.js"
};
static const unsigned char file20[] = {
#embed "../PawlServer/Page/app/menu.js"
};
static const unsigned char file21[] = {
#embed "../PawlServer/Page/app/placed-icons.js"
};
static const unsigned char file22[] = {
#embed "../PawlServer/Page/app/remove.js"
};
static const unsigned char file23[] = {
#embed "../PawlServer/Page/app/reorder.js"
};
static const unsigned char file24[] = {
#embed "../PawlServer/Page/app/ring.js"
};
static const unsigned char file25[] = {
#embed "../PawlServer/Page/app/row.js"
};
static const unsigned char file26[] = {
#embed "../PawlServer/Page/app/selection-bar.js"
};
static const unsigned char file27[] = {
#embed "../PawlServer/Page/app/selection.js"
};
static const unsigned char file28[] = {
#embed "../PawlServer/Page/app/session.js"
};
static const unsigned char file29[] = {
#embed "../PawlServer/Page/app/settings.js"
};
static const unsigned char file30[] = {
#embed "../PawlServer/Page/app/store.js"
};
static const unsigned char file31[] = {
#embed "../PawlServer/Page/app/timetable.js"
};
static const unsigned char file32[] = {
#embed "../PawlServer/Page/app/totals.js"
};
static const unsigned char file33[] = {
#embed "../PawlServer/Page/app/words.js"
};
static const unsigned char file34[] = {
#embed "../PawlServer/Page/icon.svg"
};
static const unsigned char file35[] = {
#embed "../PawlServer/Page/index.html"
};
static const unsigned char file36[] = {
#embed "../PawlServer/Page/lang/en.json"
};
static const unsigned char file37[] = {
#embed "../PawlServer/Page/lang/zh.json"
};
static const unsigned char file38[] = {
#embed "../PawlServer/Page/login.html"
};
static const unsigned char file39[] = {
#embed "../PawlServer/Page/style/base.css"
};
static const unsigned char file40[] = {
#embed "../PawlServer/Page/style/controls.css"
};
static const unsigned char file41[] = {
#embed "../PawlServer/Page/style/detail.css"
};
static const unsigned char file42[] = {
#embed "../PawlServer/Page/style/dialogs.css"
};
static const unsigned char file43[] = {
#embed "../PawlServer/Page/style/list.css"
};
static const unsigned char file44[] = {
#embed "../PawlServer/Page/style/login.css"
};
static const unsigned char description[] = {
#embed "../PawlServer/API/openapi.json"
};

static const struct CPawlPageFile files[] = {
    {"app/add.js", file0, sizeof file0},
    {"app/announce.js", file1, sizeof file1},
    {"app/api.js", file2, sizeof file2},
    {"app/connection.js", file3, sizeof file3},
    {"app/connections.js", file4, sizeof file4},
    {"app/detail.js", file5, sizeof file5},
    {"app/dom.js", file6, sizeof file6},
    {"app/drop.js", file7, sizeof file7},
    {"app/events.js", file8, sizeof file8},
    {"app/filters.js", file9, sizeof file9},
    {"app/format.js", file10, sizeof file10},
    {"app/graph.js", file11, sizeof file11},
    {"app/i18n.js", file12, sizeof file12},
    {"app/icons.js", file13, sizeof file13},
    {"app/keys.js", file14, sizeof file14},
    {"app/links.js", file15, sizeof file15},
    {"app/list.js", file16, sizeof file16},
    {"app/login.js", file17, sizeof file17},
    {"app/main.js", file18, sizeof file18},
    {"app/map.js", file19, sizeof file19},
    {"app/menu.js", file20, sizeof file20},
    {"app/placed-icons.js", file21, sizeof file21},
    {"app/remove.js", file22, sizeof file22},
    {"app/reorder.js", file23, sizeof file23},
    {"app/ring.js", file24, sizeof file24},
    {"app/row.js", file25, sizeof file25},
    {"app/selection-bar.js", file26, sizeof file26},
    {"app/selection.js", file27, sizeof file27},
    {"app/session.js", file28, sizeof file28},
    {"app/settings.js", file29, sizeof file29},
    {"app/store.js", file30, sizeof file30},
    {"app/timetable.js", file31, sizeof file31},
    {"app/totals.js", file32, sizeof file32},
    {"app/words.js", file33, sizeof file33},
    {"icon.svg", file34, sizeof file34},
    {"index.html", file35, sizeof file35},
    {"lang/en.json", file36, sizeof file36},
    {"lang/zh.json", file37, sizeof file37},
    {"login.html", file38, sizeof file38},
    {"style/base.css", file39, sizeof file39},
    {"style/controls.css", file40, sizeof file40},
    {"style/detail.css", file41, sizeof file41},
    {"style/dialogs.css", file42, sizeof file42},
    {"style/list.css", file43, sizeof file43},
    {"style/login.css", file44, sizeof file44},
    {"openapi.json", description, sizeof description},
};

const int c_pawl_page_count = sizeof files / sizeof files[0];

struct CPawlPageFile c_pawl_page_file(int index) { return files[index]; }
