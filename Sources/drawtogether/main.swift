print("drawtogether")
